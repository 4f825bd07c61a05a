/**
 * A process of its own that contends for leases: it is told what to do by messages, and ends when its parent does. It
 * runs the built providers, since Node strips types but does not map `.js` imports to `.ts` files.
 */
import { setImmediate } from 'node:timers/promises';
import type { LeaseProvider } from '../../src/lease/provider.js';
import type { Claim, ContenderMessage, ContenderOrder, ContenderPlan } from './contender-protocol.js';

type Provider = LeaseProvider & { close(): Promise<void> };
interface Contender {
  readonly owner: string;
  readonly provider: Provider;
}

const { spec, contenders: count }: ContenderPlan = JSON.parse(process.argv[2] ?? '');
const open = await providerMaker();
const contenders: readonly Contender[] = Array.from({ length: count }, (_, index) => ({
  owner: `contender ${process.pid}:${index}`,
  provider: open(),
}));
let isRacing = false;
let attempts = 0;
let wins = 0;

process.on('message', (order: ContenderOrder) => {
  if (order.order === 'claim') void claim(order);
  else if (order.order === 'race') void race(order);
  else if (order.order === 'count') tell({ message: 'count', attempts });
  else isRacing = false;
});
process.on('disconnect', () => process.exit());
// A connection that is not there yet would start late.
await Promise.all(contenders.map(({ provider }) => provider.getLeaseOwner('nobody holds this')));
tell({ message: 'ready' });

async function claim({ key, ttlMs }: { key: string; ttlMs: number }): Promise<void> {
  const claims = await Promise.all(
    contenders.map(async ({ owner, provider }): Promise<Claim> => {
      const { acquired, owner: named } = await provider.acquireLease(key, owner, ttlMs);
      return { owner, acquired, named };
    }),
  );
  tell({ message: 'claims', claims });
}

async function race({ key, ttlMs }: { key: string; ttlMs: number }): Promise<void> {
  attempts = 0;
  wins = 0;
  isRacing = true;
  const attempt = async ({ owner, provider }: Contender): Promise<void> => {
    const { acquired } = await provider.acquireLease(key, owner, ttlMs);
    attempts += 1;
    if (acquired) wins += 1;
  };
  await Promise.all(contenders.map(attempt));
  tell({ message: 'racing' });
  await Promise.all(
    contenders.map(async (contender) => {
      while (isRacing) {
        await attempt(contender);
        // SQLite answers within the turn: let the message that ends the race come in.
        await setImmediate();
      }
    }),
  );
  tell({ message: 'raced', attempts, wins });
}

async function providerMaker(): Promise<() => Provider> {
  if (spec.kind === 'sqlite') {
    const url = new URL('../../dist/providers/sqlite/index.js', import.meta.url).href;
    const built: typeof import('../../src/providers/sqlite/index.js') = await import(url);
    return () => new built.SqliteLeaseProvider({ path: spec.path, busyTimeoutMs: 10_000 });
  }
  const url = new URL('../../dist/providers/redis/index.js', import.meta.url).href;
  const built: typeof import('../../src/providers/redis/index.js') = await import(url);
  return () => new built.RedisLeaseProvider({ url: spec.url, keyPrefix: spec.keyPrefix, timeoutMs: 10_000 });
}

function tell(message: ContenderMessage): void {
  process.send?.(message);
}
