import type { KeyOutcome } from '../operations/outcome.js';
import type { BackendDownEvent, BackendUpEvent, LeaseEvent, WatchEvent } from '../operations/watch-event.js';

/** What a line of the log is about: what happened to a lease, to the backend, or what the user did. */
export type LogEntry =
  | LeaseEvent
  | BackendUpEvent
  | BackendDownEvent
  /** A write of the user and what came of it. */
  | { readonly type: 'outcome'; readonly atMs: number; readonly outcome: KeyOutcome }
  /** A write of the user that failed; the message says whether anything may have been changed. */
  | {
      readonly type: 'failure';
      readonly atMs: number;
      readonly verb: 'transfer' | 'release';
      readonly key: string;
      readonly message: string;
    }
  /** Something else to tell: an export, or what other code printed. */
  | { readonly type: 'note'; readonly atMs: number; readonly word: string; readonly text: string };

const KEPT = 2_000;

/** Whether an event is worth a line. Renewals are not: there are thousands of them, and each row counts its own. */
export function isLogged(event: WatchEvent): event is LeaseEvent | BackendUpEvent | BackendDownEvent {
  return event.type !== 'snapshot' && event.type !== 'renewed';
}

/** The log with more entries, oldest first; the oldest make room. */
export function logged(log: readonly LogEntry[], entries: readonly LogEntry[]): readonly LogEntry[] {
  if (entries.length === 0) return log;
  return [...log, ...entries].slice(-KEPT);
}

/** The key that an entry is about. */
export function keyOfEntry(entry: LogEntry): string | undefined {
  if (entry.type === 'outcome') return entry.outcome.key;
  return 'key' in entry ? entry.key : undefined;
}
