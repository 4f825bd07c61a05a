import Table from 'cli-table3';
import stringWidth from 'string-width';
import { shortenMiddle } from './shorten.js';
import type { Theme } from './theme.js';

/** A column of a table: which field of a row it shows, and whether it may be cut. */
export interface TableColumn<Row> {
  readonly field: keyof Row;
  readonly title: string;
  readonly isFlexible: boolean;
}

/** What a table is drawn for. */
export interface TableSpace<Row> {
  /** How wide the terminal is. */
  readonly columns: number;
  readonly theme: Theme;
  readonly colour: (row: Row, field: keyof Row) => ((text: string) => string) | undefined;
}

const GAP = 2;
const NARROWEST = 8;

const NO_BORDERS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((part) => [part, '']),
);

/** Rows as a table that fits the terminal, its head first, a line for each: what may be cut is cut before anything else is. */
export function fittedTable<Row extends Readonly<Record<keyof Row, string>>>(
  rows: readonly Row[],
  shown: readonly TableColumn<Row>[],
  { columns, theme, colour }: TableSpace<Row>,
): readonly string[] {
  const natural = shown.map(({ field, title }) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(row[field])), stringWidth(title)),
  );
  const widths = fitWidths(natural, shown, columns);
  const table = new Table({
    head: shown.map(({ title }) => theme.dim(title)),
    colWidths: widths.map((width) => width + GAP),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
  });
  for (const row of rows) {
    const cells = shown.map(({ field }, index) => shortenMiddle(row[field], widths[index] ?? 0));
    table.push(shown.map(({ field }, index) => colour(row, field)?.(cells[index] ?? '') ?? cells[index]));
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** Takes the width that is missing from the widest flexible columns, never below what still tells something. */
function fitWidths<Row>(
  natural: readonly number[],
  shown: readonly TableColumn<Row>[],
  columns: number,
): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  while (excess > 0) {
    let widest = -1;
    for (const [index, { isFlexible }] of shown.entries()) {
      const width = widths[index] ?? 0;
      if (isFlexible && width > NARROWEST && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}
