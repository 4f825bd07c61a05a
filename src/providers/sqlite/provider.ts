import { resolve } from 'node:path';
import { type Clock, systemClock } from '../../lease/clock.js';
import { ClosedError, InvalidConfigError } from '../../lease/errors.js';
import type {
  Lease,
  LeaseChange,
  LeaseInspector,
  LeaseReport,
  LeaseWatcher,
  ListOptions,
  WatchOptions,
} from '../../lease/inspector.js';
import { assertKey, assertOwner } from '../../lease/key.js';
import type { LeaseTraits } from '../../lease/provider.js';
import { ReportedLeases } from '../../lease/reported-leases.js';
import { assertTtlMs } from '../../lease/ttl.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { LeaseDatabase } from './database.js';
import { listLeases } from './listing.js';
import { loadSqlite } from './module.js';

/** Options of {@link SqliteLeaseProvider}. */
export interface SqliteLeaseOptions {
  /** The database file; a relative path is taken from the working directory at construction. */
  readonly path: string;
  /**
   * `write` (the default) makes the file and its directories where they are missing, for their owner alone; `read`
   * makes no database, and then a missing file is an error, never an empty answer.
   */
  readonly access?: 'read' | 'write';
  /**
   * How long a call may wait for another process's write, in milliseconds, 1000 by default; a function is asked before
   * each call. The wait blocks the event loop: a holder should allow at most a tenth of its TTL.
   */
  readonly busyTimeoutMs?: number | (() => number);
  /** Where time comes from; the host's wall clock, which all processes share, unless a test wants to move it. */
  readonly clock?: Pick<Clock, 'wallMs'>;
}

const DEFAULT_BUSY_TIMEOUT_MS = 1_000;
/** A watch looks again soon, and its waiting blocks the event loop. */
const WATCH_BUSY_TIMEOUT_MS = 100;

/**
 * Leases in an SQLite file, shared by every process of this host; opened at the first call.
 *
 * Guarantee: each verb is one atomic statement, so at most one owner holds a key at a time, whatever process it is in,
 * and a process that is killed leaves its leases to expire. Non-guarantee: a row carries the host's wall clock, and a
 * step of that clock ends or stretches leases; and a file on a network file system is only as safe as its locks.
 *
 * Every method rejects with a typed error, and never throws synchronously: `ERR_LEASE_UNREACHABLE` when another
 * process kept the file locked, `ERR_LEASE_INVALID_CONFIG` when there is no lease database at the path,
 * `ERR_LEASE_NOT_PERMITTED` when the file may not be read or written, `ERR_LEASE_CLOSED` after `close()`.
 *
 * @example
 * ```ts
 * import { SqliteLeaseProvider } from 'mastra-lease/sqlite';
 *
 * const provider = new SqliteLeaseProvider({ path: 'leases.db' });
 * await provider.acquireLease('deploy', 'job-1', 15_000); // => { acquired: true, owner: 'job-1' }
 * await provider.getLeaseOwner('deploy'); // => 'job-1'
 * await provider.close();
 * ```
 */
export class SqliteLeaseProvider extends ReportedLeases implements LeaseInspector, LeaseWatcher {
  readonly leaseTraits = { atomicTransfer: true, scope: 'host' } as const satisfies LeaseTraits;
  readonly #options: ConnectionOptions;
  #database: LeaseDatabase | undefined;
  readonly #closing = new AbortController();

  /** @throws {@link InvalidConfigError} when the path is empty or has a NUL. Nothing is opened yet. */
  constructor({ path, access = 'write', busyTimeoutMs, clock = systemClock }: SqliteLeaseOptions) {
    super();
    if (path === '' || path.includes('\0')) {
      throw new InvalidConfigError(`Expected the path of a lease database, got ${JSON.stringify(path)}`);
    }
    this.#options = {
      path: resolve(path),
      access,
      clock,
      busyTimeoutMs:
        typeof busyTimeoutMs === 'function' ? busyTimeoutMs : () => busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS,
    };
  }

  async tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    assertKey(key);
    assertOwner(owner);
    assertTtlMs(ttlMs);
    return (await this.#open()).acquire(key, owner, ttlMs);
  }

  async tryRelease(key: string, owner: string): Promise<LeaseReport> {
    assertKey(key);
    assertOwner(owner);
    return (await this.#open()).release(key, owner);
  }

  async tryRenew(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    assertKey(key);
    assertOwner(owner);
    assertTtlMs(ttlMs);
    return (await this.#open()).renew(key, owner, ttlMs);
  }

  async tryTransfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<LeaseReport> {
    assertKey(key);
    assertOwner(fromOwner);
    assertOwner(toOwner);
    assertTtlMs(ttlMs);
    return (await this.#open()).transfer(key, fromOwner, toOwner, ttlMs);
  }

  async readLease(key: string): Promise<Lease | undefined> {
    assertKey(key);
    return (await this.#open()).read(key);
  }

  async *listLeases(options: ListOptions = {}): AsyncGenerator<Lease, void, undefined> {
    yield* listLeases(() => this.#open(), options);
  }

  /**
   * Looks five times a second whether the file was written to, and reads the table when it was. A file that is replaced
   * is read anew; one that is gone is waited for.
   */
  async *watchLeases(options: WatchOptions): AsyncGenerator<LeaseChange, void, undefined> {
    const { watchLeases } = await import('./watch.js');
    yield* watchLeases({ connect: () => this.#connectWatch(), closing: this.#closing.signal }, options);
  }

  /** Closes the file and leaves the leases in it; calls after this one reject with `ERR_LEASE_CLOSED`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#database?.close();
    this.#database = undefined;
  }

  /** The open database; opened again when the file at the path is no longer the one that was opened. */
  async #open(): Promise<LeaseDatabase> {
    this.#assertOpen();
    const { DatabaseSync } = await loadSqlite();
    this.#assertOpen();
    if (this.#database && !this.#database.isCurrent()) {
      this.#database.close();
      this.#database = undefined;
    }
    this.#database ??= new LeaseDatabase(DatabaseSync, this.#options);
    return this.#database;
  }

  /** A connection of its own, which makes no database where `access` makes none. */
  async #connectWatch(): Promise<Connection> {
    if (this.#options.access === 'write') await this.#open();
    const { DatabaseSync } = await loadSqlite();
    this.#assertOpen();
    const busyTimeoutMs = () => Math.min(this.#options.busyTimeoutMs(), WATCH_BUSY_TIMEOUT_MS);
    return new Connection(DatabaseSync, { ...this.#options, access: 'read', busyTimeoutMs });
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new ClosedError('The lease provider was closed');
  }
}
