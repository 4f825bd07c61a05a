import { HEALTHS } from '../lease/health.js';
import { KEY_KINDS } from '../lease/key.js';
import { idOf, type LeaseRow, resourceOf } from './lease-row.js';
import { sortByValue } from './sort-by-value.js';
import type { Compare } from './sorted-list.js';

/** What the table can be sorted by. `worst`: problems first, the rest by key, so that what is well stays in its place. */
export const ROW_SORTS = ['worst', 'kind', 'resource', 'thread', 'owner', 'left', 'seen'] as const;

/** One of {@link ROW_SORTS}. */
export type RowSort = (typeof ROW_SORTS)[number];

/** An order of rows. */
export interface RowOrder {
  readonly sort: RowSort;
  readonly isReversed: boolean;
}

/** What rows are compared by before their keys: a number, or a text. Values, never what is printed. */
type Criterion =
  | { readonly number: (row: LeaseRow) => number }
  | { readonly text: (row: LeaseRow) => string };

/** More than any instant in milliseconds, so that a rank and an instant fit in one number. */
const RANK = 2 ** 42;

const CRITERIA: Record<RowSort, Criterion> = {
  worst: {
    number: ({ health, endsAtMs }) =>
      HEALTHS.indexOf(health ?? 'ok') * RANK + (health === 'late' ? (endsAtMs ?? 0) : 0),
  },
  kind: { number: ({ parts }) => KEY_KINDS.indexOf(parts.kind) },
  resource: { text: resourceOf },
  thread: { text: idOf },
  owner: { text: ({ owner }) => owner },
  left: { number: ({ endsAtMs }) => (endsAtMs === undefined ? 2 * RANK : (endsAtMs ?? RANK)) },
  seen: { number: ({ seenAtMs }) => seenAtMs },
};

/** Orders rows by their keys. */
export const byId: Compare<Pick<LeaseRow, 'id'>> = (a, b) => compareText(a.id, b.id);

/** The comparison that makes an order; rows that are equal in it are ordered by key. */
export function compareIn({ sort, isReversed }: RowOrder): Compare<LeaseRow> {
  const criterion = CRITERIA[sort];
  const compare: Compare<LeaseRow> =
    'number' in criterion
      ? (a, b) => criterion.number(a) - criterion.number(b) || byId(a, b)
      : (a, b) => compareText(criterion.text(a), criterion.text(b)) || byId(a, b);
  return isReversed ? (a, b) => compare(b, a) : compare;
}

/** Puts rows that are sorted by key into an order. */
export function sortRows(rows: readonly LeaseRow[], order: RowOrder): readonly LeaseRow[] {
  const criterion = CRITERIA[order.sort];
  const compare = compareIn({ ...order, isReversed: false });
  const values = 'number' in criterion ? rows.map(criterion.number) : rows.map(criterion.text);
  const sorted = sortByValue(rows, values, compare);
  return order.isReversed ? sorted.reverse() : sorted;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
