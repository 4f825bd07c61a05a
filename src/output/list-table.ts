import Table from 'cli-table3';
import stringWidth from 'string-width';
import type { ListedLease } from '../operations/list-leases.js';
import { type TableRow, tableRow } from './list-text.js';
import type { Theme } from './theme.js';

const COLUMNS = [
  { field: 'kind', title: 'KIND', isFlexible: false },
  { field: 'resource', title: 'RESOURCE', isFlexible: true },
  { field: 'threadOrKey', title: 'THREAD OR KEY', isFlexible: true },
  { field: 'owner', title: 'OWNER', isFlexible: true },
  { field: 'left', title: 'LEFT', isFlexible: false },
  { field: 'health', title: 'HEALTH', isFlexible: false },
] as const satisfies readonly { field: keyof TableRow; title: string; isFlexible: boolean }[];

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

/** A listing as a table that fits the terminal: ids are cut before anything else is. */
export function leaseTable(leases: readonly ListedLease[], columns: number, theme: Theme): string {
  const rows = leases.map(tableRow);
  const natural = COLUMNS.map(({ field, title }) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(row[field])), stringWidth(title)),
  );
  const table = new Table({
    head: COLUMNS.map(({ title }) => theme.dim(title)),
    colWidths: fitWidths(natural, columns).map((width) => width + GAP),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
  });
  for (const row of rows) {
    const colour = HEALTH_COLOUR[row.health]?.(theme) ?? ((text: string) => text);
    table.push(
      COLUMNS.map(({ field }) => (field === 'health' || field === 'left' ? colour(row[field]) : row[field])),
    );
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

const HEALTH_COLOUR: Readonly<Record<string, (theme: Theme) => (text: string) => string>> = {
  'no-expiry': (theme) => theme.bad,
  late: (theme) => theme.warn,
};

/** Takes the width that is missing from the widest flexible columns, never below what still tells something. */
function fitWidths(natural: readonly number[], columns: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  while (excess > 0) {
    let widest = -1;
    for (const [index, { isFlexible }] of COLUMNS.entries()) {
      const width = widths[index] ?? 0;
      if (isFlexible && width > NARROWEST && width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}
