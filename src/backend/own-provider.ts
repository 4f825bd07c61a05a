import type { LeaseInspector, LeaseReporter } from '../lease/inspector.js';
import type { LeaseProvider } from '../lease/provider.js';
import type { RedisTlsOptions } from '../providers/redis/index.js';
import type { CallBudget } from './call-budget.js';
import type { Access } from './locate.js';

/** How to reach a Redis, beside its URL. */
export interface ConnectionSettings {
  readonly keyPrefix?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | (() => string | Promise<string>) | undefined;
  readonly tls?: RedisTlsOptions | undefined;
}

/** What a provider of ours is: everything that a backend needs. */
export type OwnProvider = LeaseProvider & LeaseInspector & LeaseReporter & { close(): Promise<void> };

/** Opens our Redis provider for one command. It connects at the first call; only now is its driver loaded. */
export async function openRedis(url: string, settings: ConnectionSettings, budget: CallBudget) {
  const { RedisLeaseProvider } = await import('../providers/redis/index.js');
  return new RedisLeaseProvider({ ...settings, url, timeoutMs: budget, connection: 'one-shot' });
}

/** Opens our SQLite provider. A read never creates the file. */
export async function openSqlite(path: string, access: Access, budget: CallBudget) {
  const { SqliteLeaseProvider } = await import('../providers/sqlite/index.js');
  return new SqliteLeaseProvider({ path, access, busyTimeoutMs: () => budget(access) });
}
