import { Bell } from '../../lease/bell.js';
import { systemClock } from '../../lease/clock.js';
import { ClosedError } from '../../lease/errors.js';
import type { LeaseChange, WatchOptions } from '../../lease/inspector.js';
import { endsWatch, stalenessOf } from '../../lease/watch-failure.js';
import type { Connection } from './connection.js';
import { numberIn } from './rows.js';
import { DATA_VERSION } from './statements.js';
import { WatchedTable } from './watch-table.js';

/** Milliseconds between two looks at whether the file has changed, which cost some microseconds each. */
const INTERVAL_MS = 200;
/** Reading the table takes a tenth of the time at most, however often it changes. */
const PAUSE_PER_READ = 9;

/** What a watch needs of its provider. */
export interface WatchHost {
  /** A connection of the watch's own: a connection does not see its own writes as changes of the file. */
  connect(): Promise<Connection>;
  /** Aborted when the provider is closed. */
  readonly closing: AbortSignal;
}

/**
 * Looks a few times a second at the number by which SQLite tells that another connection has written, and reads the
 * table when it has changed. Each lease is counted down, and looked at once at its end.
 */
export async function* watchLeases(
  { connect, closing }: WatchHost,
  { signal, keys }: WatchOptions,
): AsyncGenerator<LeaseChange, void, undefined> {
  const bell = new Bell();
  const table = new WatchedTable(bell, keys);
  for (const ending of [signal, closing]) ending.addEventListener('abort', bell.ring);
  let connection: Connection | undefined;
  let version: number | undefined;
  let hasBeenLive = false;
  let isLive = false;
  let staleFor: string | undefined;
  let nextLookAtMs = 0;
  try {
    for (;;) {
      if (closing.aborted) throw new ClosedError('The lease provider was closed');
      if (signal.aborted) return;
      const startedAtMs = systemClock.monotonicMs();
      try {
        if (connection && !connection.isCurrent()) {
          connection.close();
          connection = undefined;
          isLive = false;
        }
        connection ??= await connect();
        if (isLive) yield* table.readEnds(connection);
        if (startedAtMs >= nextLookAtMs) {
          // Before the rows: what changes while they are read changes the number again.
          const now = versionOf(connection);
          if (!isLive) {
            yield* table.snapshot(connection);
            yield {
              kind: 'live',
              how: 'polling',
              intervalMs: INTERVAL_MS,
              commandsPerSecond: 1_000 / INTERVAL_MS,
            };
          } else if (now !== version) {
            yield* table.differences(connection);
          }
          version = now;
          isLive = true;
          hasBeenLive = true;
          staleFor = undefined;
          const tookMs = systemClock.monotonicMs() - startedAtMs;
          nextLookAtMs = startedAtMs + Math.max(INTERVAL_MS, tookMs * PAUSE_PER_READ);
        }
      } catch (error) {
        if (endsWatch(error, hasBeenLive)) throw error;
        const why = stalenessOf(error);
        if (why.reason !== staleFor) yield { kind: 'stale', ...why };
        staleFor = why.reason;
        isLive = false;
        connection?.close();
        connection = undefined;
        nextLookAtMs = startedAtMs + INTERVAL_MS;
      }
      await bell.heard(Math.max(0, nextLookAtMs - systemClock.monotonicMs()));
    }
  } finally {
    for (const ending of [signal, closing]) ending.removeEventListener('abort', bell.ring);
    table.forget();
    connection?.close();
  }
}

function versionOf(connection: Connection): number {
  const [row] = connection.run(DATA_VERSION, {});
  return row ? numberIn(row, 'data_version') : Number.NaN;
}
