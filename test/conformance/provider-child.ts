/**
 * The other process of a conformance run. It runs the built code, since Node strips types but does not map `.js` imports
 * to `.ts` files.
 */
import type { ProviderSpec } from './provider-spec.js';

const { serveLeaseProvider }: typeof import('../../src/conformance/index.js') =
  await load('dist/conformance/index.js');

const spec: ProviderSpec = JSON.parse(process.argv[2] ?? '');
await serveLeaseProvider(() => open(spec));
process.exit();

async function open(of: ProviderSpec): Promise<unknown> {
  switch (of.kind) {
    case 'sqlite':
    case 'sqlite, locked in one process': {
      const built: typeof import('../../src/providers/sqlite/index.js') = await load(
        'dist/providers/sqlite/index.js',
      );
      const leases = new built.SqliteLeaseProvider({ path: of.path, busyTimeoutMs: 10_000 });
      if (of.kind === 'sqlite') return leases;
      const mutants: typeof import('./mutants/locks-in-one-process.js') = await load(
        'test/conformance/mutants/locks-in-one-process.ts',
      );
      return new mutants.LocksInOneProcess(leases);
    }
    case 'redis': {
      const built: typeof import('../../src/providers/redis/index.js') = await load(
        'dist/providers/redis/index.js',
      );
      return new built.RedisLeaseProvider({ url: of.url, keyPrefix: of.keyPrefix, timeoutMs: 10_000 });
    }
    case 'redis-streams': {
      const fixture: { RedisStreamsPubSub: new (options: { url: string }) => unknown } = await load(
        'test/fixtures/redis-streams/redis-streams-pubsub.ts',
      );
      return new fixture.RedisStreamsPubSub({ url: of.url });
    }
  }
}

function load(path: string) {
  return import(new URL(`../../${path}`, import.meta.url).href);
}
