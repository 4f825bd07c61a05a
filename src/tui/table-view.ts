import { compileFilter, type RowTest } from './filter.js';
import type { Known, RowsChange } from './known.js';
import { rowWithId } from './known.js';
import type { LeaseRow } from './lease-row.js';
import { compareIn, type RowOrder, sortRows } from './row-order.js';
import { edited, positionOf } from './sorted-list.js';

/** How the leases are looked at. */
export interface TableView {
  readonly order: RowOrder;
  readonly filter: string;
  readonly onlyProblems: boolean;
  /** All rows in order. */
  readonly sorted: readonly LeaseRow[];
  /** Those that the filter lets through. */
  readonly shown: readonly LeaseRow[];
  /** One of `shown`; `undefined` while nothing was selected: the first row is, whichever it is. */
  readonly selected?: LeaseRow | undefined;
  /** The place in `shown` of the first row on the screen. */
  readonly top: number;
}

export const FIRST_VIEW: TableView = {
  order: { sort: 'worst', isReversed: false },
  filter: '',
  onlyProblems: false,
  sorted: [],
  shown: [],
  top: 0,
};

/** The place of the selected row in `shown`; -1 when there is none. */
export function selectedIndex({ order, shown, selected }: TableView): number {
  if (shown.length === 0) return -1;
  return selected === undefined ? 0 : positionOf(shown, selected, compareIn(order));
}

/** The selected row. */
export function selectedRow(view: TableView): LeaseRow | undefined {
  return view.shown[selectedIndex(view)];
}

/** The rows on the screen. */
export function rowsOnScreen({ shown, top }: TableView, height: number): readonly LeaseRow[] {
  return shown.slice(top, top + height);
}

/** Selects a row by its place, and scrolls no further than is needed to see it. */
export function selectAt(view: TableView, index: number, height: number): TableView {
  const last = view.shown.length - 1;
  const selected = view.shown[Math.max(0, Math.min(index, last))];
  return scrolled({ ...view, selected }, height);
}

/** The view after a change of what is known. The selection stays on its key, or on its place when that is gone. */
export function viewAfter(view: TableView, known: Known, change: RowsChange, height: number): TableView {
  if (change !== 'all' && change.removed.length === 0 && change.added.length === 0) return view;
  if (change === 'all') return arranged(view, known, height);
  const compare = compareIn(view.order);
  const test = testOf(view);
  const sorted = edited(view.sorted, change, compare);
  const shown = test
    ? edited(view.shown, { removed: change.removed.filter(test), added: change.added.filter(test) }, compare)
    : sorted;
  return reselected(view, { ...view, sorted, shown }, known, height);
}

/** The view in another order or with another filter. */
export function lookedAt(
  view: TableView,
  wanted: Partial<Pick<TableView, 'order' | 'filter' | 'onlyProblems'>>,
  known: Known,
  height: number,
): TableView {
  const next = { ...view, ...wanted };
  if (wanted.order) return arranged(next, known, height, view);
  return reselected(view, { ...next, shown: filtered(next.sorted, testOf(next)) }, known, height);
}

function arranged(next: TableView, known: Known, height: number, before: TableView = next): TableView {
  const sorted = sortRows(known.rows, next.order);
  return reselected(before, { ...next, sorted, shown: filtered(sorted, testOf(next)) }, known, height);
}

function testOf({ filter, onlyProblems }: TableView): RowTest | undefined {
  return compileFilter(filter, onlyProblems);
}

function filtered(rows: readonly LeaseRow[], test: RowTest | undefined): readonly LeaseRow[] {
  return test ? rows.filter(test) : rows;
}

function reselected(before: TableView, next: TableView, known: Known, height: number): TableView {
  const { selected } = before;
  if (selected === undefined) return scrolled({ ...next, selected: undefined }, height);
  const now = rowWithId(known.rows, selected.id);
  const isShown = now !== undefined && (testOf(next)?.(now) ?? true);
  return isShown
    ? scrolled({ ...next, selected: now }, height)
    : selectAt(next, selectedIndex(before), height);
}

/** Scrolls so that the selection is on the screen, and no line below is left empty in vain. */
export function scrolled(view: TableView, height: number): TableView {
  const index = Math.max(0, selectedIndex(view));
  const lowest = Math.max(0, view.shown.length - height);
  return { ...view, top: Math.min(Math.max(view.top, index - height + 1), index, lowest) };
}
