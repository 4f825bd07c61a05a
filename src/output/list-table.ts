import type { ListedLease } from '../operations/list-leases.js';
import { fittedTable, type TableColumn } from './fitted-table.js';
import { type TableRow, tableRow } from './list-text.js';
import type { Theme } from './theme.js';

const COLUMNS: readonly TableColumn<TableRow>[] = [
  { field: 'kind', title: 'KIND', isFlexible: false },
  { field: 'resource', title: 'RESOURCE', isFlexible: true },
  { field: 'threadOrKey', title: 'THREAD OR KEY', isFlexible: true },
  { field: 'owner', title: 'OWNER', isFlexible: true },
  { field: 'left', title: 'LEFT', isFlexible: false },
  { field: 'health', title: 'HEALTH', isFlexible: false },
];

const HEALTH_COLOUR: Readonly<Record<string, (theme: Theme) => (text: string) => string>> = {
  'no-expiry': (theme) => theme.bad,
  late: (theme) => theme.warn,
};

/** A listing as a table that fits the terminal: ids are cut before anything else is. */
export function leaseTable(leases: readonly ListedLease[], columns: number, theme: Theme): string {
  const colour = ({ health }: TableRow, field: keyof TableRow) =>
    field === 'health' || field === 'left' ? HEALTH_COLOUR[health]?.(theme) : undefined;
  return fittedTable(leases.map(tableRow), COLUMNS, { columns, theme, colour }).join('\n');
}
