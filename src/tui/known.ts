import { leaseId } from '../lease/lease-id.js';
import type { WatchEvent, WatchedLease } from '../operations/watch-event.js';
import { isLogged, type LogEntry, logged } from './event-log.js';
import { type LeaseRow, rowAfter, rowOfSnapshot } from './lease-row.js';
import { byId } from './row-order.js';
import { type Edit, edited, findIn } from './sorted-list.js';

/** How fresh the view is. */
export type Feed =
  | { readonly kind: 'starting' }
  | { readonly kind: 'live'; readonly how: 'pushed' | 'polling'; readonly intervalMs?: number }
  | { readonly kind: 'stale'; readonly sinceMs: number; readonly reason: string };

/** How many leases there are, and how many of them are a problem. */
export interface Counts {
  readonly total: number;
  readonly late: number;
  readonly noExpiry: number;
}

/** All that the events have told so far. Never changed, only replaced: a pause or a step back keeps an old one. */
export interface Known {
  /** Sorted by key. */
  readonly rows: readonly LeaseRow[];
  readonly counts: Counts;
  readonly feed: Feed;
  readonly log: readonly LogEntry[];
  /** Whether a snapshot was seen: before it no rows mean nothing. */
  readonly isComplete: boolean;
}

export const NOTHING_KNOWN: Known = {
  rows: [],
  counts: { total: 0, late: 0, noExpiry: 0 },
  feed: { kind: 'starting' },
  log: [],
  isComplete: false,
};

/** What changed in the rows: some of them, or all. */
export type RowsChange = Edit<LeaseRow> | 'all';

/** What is known after some events, and what changed by them. */
export function learn(
  before: Known,
  events: readonly WatchEvent[],
): { readonly known: Known; readonly change: RowsChange } {
  let { rows, feed, isComplete } = before;
  let isWhole = false;
  /** The rows that changed since `rows`, `undefined` for those that are gone. */
  let changed = new Map<string, LeaseRow | undefined>();
  const rowOf = (id: string) => (changed.has(id) ? changed.get(id) : rowWithId(rows, id));
  for (const event of events) {
    switch (event.type) {
      case 'snapshot':
        rows = rowsOfSnapshot(event.leases, event.atMs, rowOf);
        changed = new Map();
        isWhole = true;
        isComplete = true;
        break;
      case 'backend-up':
        feed = {
          kind: 'live',
          how: event.how,
          ...(event.intervalMs !== undefined && { intervalMs: event.intervalMs }),
        };
        break;
      case 'backend-down':
        feed = {
          kind: 'stale',
          sinceMs: feed.kind === 'stale' ? feed.sinceMs : event.atMs,
          reason: event.reason,
        };
        break;
      default: {
        const id = leaseId(event);
        changed.set(id, rowAfter(event, rowOf(id)));
      }
    }
  }
  const edit: Edit<LeaseRow> = {
    removed: [...changed.keys()].flatMap((id) => rowWithId(rows, id) ?? []),
    added: [...changed.values()].filter((row) => row !== undefined),
  };
  const rowsNow = edited(rows, edit, byId);
  const known = {
    rows: rowsNow,
    counts: isWhole
      ? recount(NOTHING_KNOWN.counts, { removed: [], added: rowsNow })
      : recount(before.counts, edit),
    feed,
    log: logged(before.log, events.filter(isLogged)),
    isComplete,
  };
  return { known, change: isWhole ? 'all' : edit };
}

/** The row of a lease in rows that are sorted by key. */
export function rowWithId(rows: readonly LeaseRow[], id: string): LeaseRow | undefined {
  return findIn(rows, { id }, byId);
}

function rowsOfSnapshot(
  leases: readonly WatchedLease[],
  atMs: number,
  rowOf: (id: string) => LeaseRow | undefined,
): readonly LeaseRow[] {
  const rows = leases.map((lease) => rowOfSnapshot(lease, atMs, rowOf(leaseId(lease)))).sort(byId);
  return rows.filter((row, index) => row.id !== rows[index + 1]?.id);
}

function recount(counts: Counts, { removed, added }: Edit<LeaseRow>): Counts {
  let { total, late, noExpiry } = counts;
  const tell = ({ health }: LeaseRow, by: 1 | -1) => {
    total += by;
    if (health === 'late') late += by;
    if (health === 'no-expiry') noExpiry += by;
  };
  for (const row of removed) tell(row, -1);
  for (const row of added) tell(row, 1);
  return { total, late, noExpiry };
}
