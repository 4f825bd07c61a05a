/** A column of the table. */
export interface Column {
  readonly name: ColumnName;
  readonly title: string;
  readonly width: number;
}

/** What a column shows. */
export type ColumnName =
  | 'kind'
  | 'resource'
  | 'thread'
  | 'owner'
  | 'left'
  | 'bar'
  | 'health'
  | 'seen'
  | 'renewals';

/** Cells before the first column: the mark of the selected row. */
export const MARGIN = 3;
const GAP = 2;

/** Columns of a fixed width, and from which width of the terminal on they are worth their place. */
const FIXED = [
  { name: 'left', title: 'LEFT', width: 7, from: 0 },
  { name: 'health', title: 'HEALTH', width: 7, from: 0 },
  { name: 'bar', title: '', width: 10, from: 72 },
  { name: 'kind', title: 'KIND', width: 9, from: 84 },
  { name: 'seen', title: 'SEEN', width: 6, from: 92 },
  { name: 'renewals', title: 'RENEWALS', width: 8, from: 100 },
] as const;

const WIDE = { from: 140, bar: 16, kind: 12, renewals: 16 } as const;

/** Columns that share the rest, in which parts, and up to which width there is something to see. */
const FLEXIBLE = [
  { name: 'resource', title: 'RESOURCE', part: 3, most: 40, from: 50 },
  { name: 'thread', title: 'THREAD', part: 4, most: 48, from: 0 },
  { name: 'owner', title: 'OWNER', part: 4, most: 48, from: 0 },
] as const;

const ORDER: readonly ColumnName[] = [
  'kind',
  'resource',
  'thread',
  'owner',
  'left',
  'bar',
  'health',
  'seen',
  'renewals',
];

/**
 * The columns for a width. They depend on nothing else: columns that follow their content jump while one reads. Where
 * it is narrow, first what is nice to know is left out, and what names a lease never is.
 */
export function columnsFor(width: number): readonly Column[] {
  const fixed = FIXED.filter(({ from }) => width >= from).map((column) => ({
    name: column.name,
    title: column.title,
    width: width >= WIDE.from && column.name in WIDE ? wide(column.name, column.width) : column.width,
  }));
  const flexible = FLEXIBLE.filter(({ from }) => width >= from);
  const parts = flexible.reduce((sum, { part }) => sum + part, 0);
  const gaps = GAP * (fixed.length + flexible.length - 1);
  const rest = width - MARGIN - gaps - fixed.reduce((sum, column) => sum + column.width, 0);
  const shared = flexible.map(({ name, title, part, most }) => ({
    name,
    title,
    width: Math.min(most, Math.floor((rest * part) / parts)),
  }));
  return [...fixed, ...shared].toSorted((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
}

function wide(name: string, width: number): number {
  return name === 'bar' || name === 'kind' || name === 'renewals' ? WIDE[name] : width;
}
