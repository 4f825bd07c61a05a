import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { AcquireResult, LeaseProvider, LeaseTraits } from 'mastra-lease';

/** By the clock of the database, the same for all who lease there: in PostgreSQL `now()`. */
const NOW = `(unixepoch('subsec') * 1000)`;

/**
 * Leases in a table, one statement a verb: the database makes each verb atomic. SQLite is used because it needs no
 * server; in PostgreSQL the statements are the same, with bytea columns.
 */
export class SqlLeases implements LeaseProvider {
  readonly leaseTraits: LeaseTraits = { atomicTransfer: true, scope: 'host' };
  readonly #database: DatabaseSync;

  constructor(path = 'sql-leases.db') {
    this.#database = new DatabaseSync(path);
    this.#database.exec('PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL');
    // Bytes, not text: the key of a thread holds a NUL, which PostgreSQL's text cannot.
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS leases (key BLOB PRIMARY KEY, owner BLOB NOT NULL, ends_at REAL NOT NULL)',
    );
  }

  /** One statement claims, refreshes, or says who has it: two would leave a gap between them. */
  async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const isOurs = `(owner = excluded.owner OR ends_at <= ${NOW})`;
    const holder = this.#one(
      `INSERT INTO leases VALUES (?, ?, ${NOW} + ?) ON CONFLICT (key) DO UPDATE SET
         ends_at = CASE WHEN ${isOurs} THEN excluded.ends_at ELSE ends_at END,
         owner = CASE WHEN ${isOurs} THEN excluded.owner ELSE owner END
       RETURNING owner`,
      [bytes(key), bytes(owner), wholeMs(ttlMs)],
    );
    return { acquired: holder === owner, ...(holder !== undefined && { owner: holder }) };
  }

  async getLeaseOwner(key: string): Promise<string | undefined> {
    return this.#one(`SELECT owner FROM leases WHERE key = ? AND ends_at > ${NOW}`, [bytes(key)]);
  }

  async releaseLease(key: string, owner: string): Promise<void> {
    this.#one('DELETE FROM leases WHERE key = ? AND owner = ? RETURNING owner', [bytes(key), bytes(owner)]);
  }

  async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.transferLease(key, owner, owner, ttlMs);
  }

  async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    const moved = this.#one(
      `UPDATE leases SET owner = ?, ends_at = ${NOW} + ? WHERE key = ? AND owner = ? AND ends_at > ${NOW} RETURNING owner`,
      [bytes(to), wholeMs(ttlMs), bytes(key), bytes(from)],
    );
    return moved !== undefined;
  }

  close(): void {
    this.#database.close();
  }

  /** The owner that a statement answers. */
  #one(sql: string, values: readonly SQLInputValue[]): string | undefined {
    const owner = this.#database.prepare(sql).get(...values)?.owner;
    return owner instanceof Uint8Array ? Buffer.from(owner).toString() : undefined;
  }
}

/** Half of a surrogate pair would become another character, and two keys one. */
function bytes(text: string): Uint8Array {
  if (text === '' || !text.isWellFormed()) throw new TypeError('Expected a text that UTF-8 can store');
  return Buffer.from(text);
}

function wholeMs(ttlMs: number): number {
  if (Number.isInteger(ttlMs) && ttlMs > 0) return ttlMs;
  throw new RangeError(`Expected a TTL of whole milliseconds, got ${ttlMs}`);
}
