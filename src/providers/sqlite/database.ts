import { randomBytes } from 'node:crypto';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Lease, LeaseReport } from '../../lease/inspector.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { bytesIn, numberIn, type Row, toBytes, toLease, toText } from './rows.js';
import { ACQUIRE, PAGE, READ, RELEASE, RENEW, SWEEP, TRANSFER } from './statements.js';

const WRITES_PER_SWEEP = 256;
/** More than can expire between two sweeps, so that a backlog shrinks; few enough to take a few milliseconds. */
const ROWS_PER_SWEEP = 1_000;

/** The leases of one open file. Every method is synchronous, and throws typed errors only. */
export class LeaseDatabase {
  readonly #connection: Connection;
  #connectionId: Uint8Array | undefined;
  #writes = 0;

  /** Opens the file, and with write access makes it where it is missing. */
  constructor(Sqlite: typeof DatabaseSync, options: ConnectionOptions) {
    this.#connection = new Connection(Sqlite, options);
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** Whether the path still leads to the file that was opened. */
  isCurrent(): boolean {
    return this.#connection.isCurrent();
  }

  acquire(key: string, owner: string, ttlMs: number): LeaseReport {
    return this.#write(ACQUIRE, { key: toBytes(key), owner: toBytes(owner), ttl: ttlMs }, (row, report) =>
      report.done ? { ...report, refreshed: numberIn(row, 'renewals') > 0 } : report,
    );
  }

  release(key: string, owner: string): LeaseReport {
    return this.#write(RELEASE, { key: toBytes(key), owner: toBytes(owner) });
  }

  renew(key: string, owner: string, ttlMs: number): LeaseReport {
    return this.#write(RENEW, { key: toBytes(key), owner: toBytes(owner), ttl: ttlMs });
  }

  transfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): LeaseReport {
    const owners = { owner: toBytes(fromOwner), to: toBytes(toOwner) };
    return this.#write(TRANSFER, { key: toBytes(key), ...owners, ttl: ttlMs });
  }

  read(key: string): Lease | undefined {
    return this.#readBytes(toBytes(key));
  }

  /** At most `count` rows after a key, expired ones included, in the order of their keys. */
  page(after: Uint8Array, count: number): readonly Row[] {
    return this.#connection.run(PAGE, { after, count });
  }

  /** A row of a page as a lease now; read again when it seems to have expired, since it may have been renewed. */
  refresh(row: Row): Lease | undefined {
    return toLease(row, this.#connection.wallMs()) ?? this.#readBytes(bytesIn(row, 'key'));
  }

  close(): void {
    this.#connection.close();
  }

  #readBytes(key: Uint8Array): Lease | undefined {
    // From before the read: what has expired by then had expired when SQLite looked, so "free" is never a guess.
    const nowMs = this.#connection.wallMs();
    const [row] = this.#connection.run(READ, { key });
    return row && toLease(row, nowMs);
  }

  #write(
    sql: string,
    parameters: Record<string, SQLInputValue>,
    refine: (row: Row, report: LeaseReport) => LeaseReport = (_row, report) => report,
  ): LeaseReport {
    const [row] = this.#connection.run(sql, { ...parameters, write: this.#writeId() });
    const report = row ? refine(row, this.#report(row)) : { done: false };
    if (this.#writes % WRITES_PER_SWEEP === 1) this.#connection.runIfIdle(SWEEP, { count: ROWS_PER_SWEEP });
    return report;
  }

  #report(row: Row): LeaseReport {
    const done = row.done === 1;
    const remainingMs = numberIn(row, 'expires_at') - this.#connection.nowMs();
    return remainingMs > 0 ? { done, holder: toText(bytesIn(row, 'owner')).text, remainingMs } : { done };
  }

  /** Unlike that of any other call, on this connection or another. */
  #writeId(): Uint8Array {
    this.#writes += 1;
    const count = Buffer.alloc(8);
    count.writeBigUInt64BE(BigInt(this.#writes));
    this.#connectionId ??= randomBytes(8);
    return Buffer.concat([this.#connectionId, count]);
  }
}
