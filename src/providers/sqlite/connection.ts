import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Clock } from '../../lease/clock.js';
import { toLeaseError } from './errors.js';
import { fileIdentity, prepareFile, requireFile } from './file.js';
import type { Row } from './rows.js';
import { assertOurs, setUp } from './schema.js';

/** How to open a {@link Connection}. */
export interface ConnectionOptions {
  /** Absolute, so that SQLite cannot take it for a URI or for a database in memory. */
  readonly path: string;
  readonly access: 'read' | 'write';
  /** How long a statement may wait for a lock, in milliseconds; asked before each. */
  readonly busyTimeoutMs: () => number;
  readonly clock: Pick<Clock, 'wallMs'>;
}

const MAX_BUSY_TIMEOUT_MS = 2 ** 31 - 1;

/** A lease database, open. Every method is synchronous, and throws typed errors only. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #database: DatabaseSync;
  readonly #identity: string | undefined;
  readonly #statements = new Map<string, StatementSync>();
  #busyTimeoutMs = 0;
  #nowMs: number | undefined;
  #isOpen = true;

  /** Opens the file, and with write access makes it where it is missing. */
  constructor(Sqlite: typeof DatabaseSync, options: ConnectionOptions) {
    const { path, access } = options;
    this.#options = options;
    if (access === 'write') prepareFile(path);
    else requireFile(path);
    // Before it is opened: a file that is replaced in between then counts as replaced.
    this.#identity = fileIdentity(path);
    let database: DatabaseSync | undefined;
    try {
      database = new Sqlite(path, { readOnly: access === 'read' });
      this.#database = database;
      this.#setBusyTimeout(options.busyTimeoutMs());
      database.function('lease_now', () => this.nowMs());
      if (access === 'read') {
        assertOurs(database, path);
      } else {
        setUp(database, path);
        database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      }
    } catch (error) {
      database?.close();
      throw this.#typed(error);
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the path still leads to the file that was opened; another process would use whatever is there now. */
  isCurrent(): boolean {
    return fileIdentity(this.#options.path) === this.#identity;
  }

  /** The instant of the last statement that was run: the clock is read once for each, at its first look at it. */
  nowMs(): number {
    this.#nowMs ??= this.wallMs();
    return this.#nowMs;
  }

  /** This instant, in whole milliseconds of the host's clock. */
  wallMs(): number {
    return Math.floor(this.#options.clock.wallMs());
  }

  run(sql: string, parameters: Record<string, SQLInputValue>): readonly Row[] {
    return this.#run(sql, parameters, this.#options.busyTimeoutMs());
  }

  /** Runs a statement that waits for nobody and may as well not run; whether it did. */
  runIfIdle(sql: string, parameters: Record<string, SQLInputValue>): boolean {
    try {
      this.#run(sql, parameters, 0);
      return true;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#isOpen = false;
    this.#statements.clear();
    this.#database.close();
  }

  #run(sql: string, parameters: Record<string, SQLInputValue>, busyTimeoutMs: number): readonly Row[] {
    try {
      this.#setBusyTimeout(busyTimeoutMs);
      this.#nowMs = undefined;
      // To the end, never `get`: that drops the statement after its first row, and the error of the commit with it.
      return this.#statement(sql).all(parameters);
    } catch (error) {
      throw this.#typed(error);
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const prepared = this.#database.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #setBusyTimeout(timeoutMs: number): void {
    const wholeMs = Math.floor(Math.min(Math.max(timeoutMs, 0), MAX_BUSY_TIMEOUT_MS));
    if (wholeMs === this.#busyTimeoutMs) return;
    this.#database.exec(`PRAGMA busy_timeout = ${wholeMs}`);
    this.#busyTimeoutMs = wholeMs;
  }

  #typed(error: unknown): unknown {
    const { path, access } = this.#options;
    return toLeaseError(error, { path, access, busyTimeoutMs: this.#busyTimeoutMs });
  }
}
