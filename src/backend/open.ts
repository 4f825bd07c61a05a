import type { Backend } from '../lease/backend.js';
import { UnsupportedError } from '../lease/errors.js';
import type { Access, LocatedBackend } from './locate.js';

/** Milliseconds that the next call of a kind may take. */
export type CallBudget = (kind: 'read' | 'write') => number;

/** How to reach a backend, beside its name. */
export interface ConnectionSettings {
  readonly keyPrefix?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | (() => string | Promise<string>) | undefined;
  readonly tls?:
    | { readonly servername?: string; readonly ca?: string; readonly insecure?: boolean }
    | undefined;
}

/** What opening depends on. */
export interface OpenOptions extends ConnectionSettings {
  readonly access: Access;
  readonly budget: CallBudget;
}

/** Opens a backend that was found. Nothing is connected before the first call; only the provider needed is loaded. */
export async function openBackend({ spec, foundBy }: LocatedBackend, options: OpenOptions): Promise<Backend> {
  switch (spec.kind) {
    case 'redis': {
      const { RedisLeaseProvider } = await import('../providers/redis/index.js');
      const { keyPrefix, username, password, tls, budget } = options;
      const provider = new RedisLeaseProvider({
        url: spec.url,
        keyPrefix,
        username,
        password,
        tls,
        timeoutMs: budget,
        connection: 'one-shot',
      });
      const { name, database } = provider;
      return {
        ...opened(provider),
        source: () => ({
          backend: name,
          foundBy,
          scope: 'network',
          keyPrefix: provider.keyPrefix,
          database,
          ...(provider.server && { role: provider.server.role }),
        }),
      };
    }
    case 'sqlite': {
      const { SqliteLeaseProvider } = await import('../providers/sqlite/index.js');
      const provider = new SqliteLeaseProvider({
        path: spec.path,
        access: options.access,
        busyTimeoutMs: () => options.budget(options.access),
      });
      const backend = `sqlite:${spec.path}`;
      return { ...opened(provider), source: () => ({ backend, foundBy, scope: 'host' }) };
    }
    case 'memory':
      throw new UnsupportedError(
        'Leases of memory: live inside one process and would end with this command',
        {
          remedy: 'name a backend that others can see, such as redis:// or local',
        },
      );
  }
}

function opened<
  P extends Backend['provider'] & Backend['reporter'] & Backend['inspector'] & Pick<Backend, 'close'>,
>(provider: P): Omit<Backend, 'source'> {
  return { provider, reporter: provider, inspector: provider, close: () => provider.close() };
}
