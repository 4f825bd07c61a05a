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

/** What opening a provider of ours depends on, beside how to reach it. */
export interface OpenProviderOptions {
  readonly access: Access;
  readonly budget: CallBudget;
  /** Whether it stays open, for a holder or a watcher; else it is for one command. */
  readonly isKept?: boolean | undefined;
  /** A write that only changes leases which are there makes no file: an empty one would say that nobody holds them. */
  readonly needsFile?: boolean | undefined;
}

/** A holder's calls may block the event loop for this share of what they may take, so that its timers fire in time. */
const BLOCKING_SHARE = 1 / 4;

/** Opens our Redis provider. It connects at the first call; only now is its driver loaded. */
export async function openRedis(
  url: string,
  settings: ConnectionSettings,
  { budget, isKept }: Pick<OpenProviderOptions, 'budget' | 'isKept'>,
) {
  const { RedisLeaseProvider } = await import('../providers/redis/index.js');
  const connection = isKept ? 'kept' : 'one-shot';
  return new RedisLeaseProvider({ ...settings, url, timeoutMs: budget, connection });
}

/** Opens our SQLite provider. A read never creates the file. */
export async function openSqlite(path: string, { access, budget, isKept, needsFile }: OpenProviderOptions) {
  const { SqliteLeaseProvider } = await import('../providers/sqlite/index.js');
  if (needsFile) (await import('../providers/sqlite/file.js')).requireFile(path);
  const busyTimeoutMs = () => Math.ceil(budget(access) * (isKept ? BLOCKING_SHARE : 1));
  return new SqliteLeaseProvider({ path, access, busyTimeoutMs });
}
