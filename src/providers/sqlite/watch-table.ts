import { setImmediate } from 'node:timers/promises';
import type { Bell } from '../../lease/bell.js';
import { systemClock } from '../../lease/clock.js';
import { Countdown } from '../../lease/countdown.js';
import type { Lease, LeaseChange } from '../../lease/inspector.js';
import { hexOfId, leaseId } from '../../lease/lease-id.js';
import type { Connection } from './connection.js';
import { bytesIn, numberIn, type Row, toBytes, toLease } from './rows.js';
import { PAGE, READ } from './statements.js';

const ROWS_PER_PAGE = 500;

interface Known {
  readonly owner: string;
  readonly ownerHex: string | undefined;
  /** By the host's wall clock, exactly as it is stored. */
  readonly expiresAtMs: number;
  readonly key: string;
}

interface Page {
  readonly rows: readonly Row[];
  readonly wallMs: number;
  readonly readAtMs: number;
}

/** The leases of the file as they were told last. */
export class WatchedTable {
  readonly #keys: readonly Uint8Array[] | undefined;
  readonly #countdown: Countdown;
  readonly #known = new Map<string, Known>();
  #due: string[] = [];

  constructor(bell: Bell, keys: readonly string[] | undefined) {
    this.#keys = keys && [...new Set(keys)].map(toBytes);
    this.#countdown = new Countdown({
      clock: systemClock,
      onDue: (ids) => {
        this.#due.push(...ids);
        bell.ring();
      },
    });
  }

  forget(): void {
    this.#countdown.clear();
    this.#known.clear();
    this.#due = [];
  }

  async *snapshot(connection: Connection): AsyncGenerator<LeaseChange> {
    this.forget();
    yield { kind: 'snapshot-start' };
    for await (const page of this.#pages(connection)) yield* this.#news(page);
    yield { kind: 'snapshot-end' };
  }

  async *differences(connection: Connection): AsyncGenerator<LeaseChange> {
    const gone = new Set(this.#known.keys());
    for await (const page of this.#pages(connection)) yield* this.#news(page, gone);
    yield* this.#free([...gone], systemClock.monotonicMs());
  }

  *readEnds(connection: Connection): Generator<LeaseChange> {
    const ids = this.#due;
    if (ids.length === 0) return;
    this.#due = [];
    const gone = new Set(ids);
    const keys = ids.map((id) => {
      const hex = hexOfId(id);
      return hex === undefined ? toBytes(id) : Buffer.from(hex, 'hex');
    });
    const page = readRows(connection, keys);
    yield* this.#news(page, gone);
    yield* this.#free([...gone], page.readAtMs);
  }

  async *#pages(connection: Connection): AsyncGenerator<Page> {
    for (let from = 0; this.#keys && from < this.#keys.length; from += ROWS_PER_PAGE) {
      yield readRows(connection, this.#keys.slice(from, from + ROWS_PER_PAGE));
      await setImmediate();
    }
    let after: Uint8Array | undefined = this.#keys ? undefined : new Uint8Array();
    while (after) {
      const page = readPage(connection, after);
      yield page;
      const last = page.rows.at(-1);
      after = last && page.rows.length === ROWS_PER_PAGE ? bytesIn(last, 'key') : undefined;
      // SQLite answers synchronously: let timers and signals have their turn between pages.
      await setImmediate();
    }
  }

  /** The leases of a page that are not as they were told; those that are held are taken out of `gone`. */
  *#news({ rows, wallMs, readAtMs }: Page, gone?: Set<string>): Generator<LeaseChange> {
    const leases: Lease[] = [];
    for (const row of rows) {
      const lease = toLease(row, wallMs);
      if (!lease) continue;
      const id = leaseId(lease);
      gone?.delete(id);
      const { key, owner, ownerHex, remainingMs } = lease;
      const expiresAtMs = numberIn(row, 'expires_at');
      this.#countdown.set(id, readAtMs + (remainingMs ?? 0));
      const known = this.#known.get(id);
      if (known?.owner === owner && known.ownerHex === ownerHex && known.expiresAtMs === expiresAtMs)
        continue;
      this.#known.set(id, { owner, ownerHex, expiresAtMs, key });
      leases.push(lease);
    }
    if (leases.length > 0) yield { kind: 'held', leases, readAtMs };
  }

  *#free(ids: readonly string[], readAtMs: number): Generator<LeaseChange> {
    const keys = ids.flatMap((id) => {
      const known = this.#known.get(id);
      this.#countdown.delete(id);
      this.#known.delete(id);
      return known ? [known.key] : [];
    });
    if (keys.length > 0) yield { kind: 'free', keys, readAtMs };
  }
}

/** The clocks are read first: what has expired by then had expired when SQLite looked. */
function readRows(connection: Connection, keys: readonly Uint8Array[]): Page {
  const now = moment(connection);
  return { ...now, rows: keys.flatMap((key) => connection.run(READ, { key })) };
}

function readPage(connection: Connection, after: Uint8Array): Page {
  const now = moment(connection);
  return { ...now, rows: connection.run(PAGE, { after, count: ROWS_PER_PAGE }) };
}

function moment(connection: Connection) {
  return { wallMs: connection.wallMs(), readAtMs: systemClock.monotonicMs() };
}
