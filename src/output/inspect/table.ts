import { escapeText } from '../../lease/text.js';
import { VERDICTS } from '../../lease/verdict.js';
import type { Inspected } from '../../operations/inspect/inspect.js';
import type { ProcessGroup } from '../../operations/inspect/order.js';
import { fittedTable, type TableColumn } from '../fitted-table.js';
import type { Theme } from '../theme.js';
import { type PulseCells, pulseCells } from './pulse-text.js';
import { verdictWord } from './text.js';

const COLUMNS: readonly TableColumn<PulseCells>[] = [
  { field: 'verdict', title: 'VERDICT', isFlexible: false },
  { field: 'resource', title: 'RESOURCE', isFlexible: true },
  { field: 'threadOrKey', title: 'THREAD OR KEY', isFlexible: true },
  { field: 'owner', title: 'OWNER', isFlexible: true },
  { field: 'left', title: 'LEFT', isFlexible: false },
  { field: 'quiet', title: 'QUIET', isFlexible: false },
  { field: 'process', title: 'PROCESS', isFlexible: true },
];

/** Inspections as a table that fits the terminal. */
export function pulseTable(inspected: readonly Inspected[], columns: number, theme: Theme): string {
  return tableLines(inspected, COLUMNS, columns, theme).join('\n');
}

/** The same, each process with what it holds under a line of its own. */
export function processTable(
  groups: readonly ProcessGroup[],
  countsOf: (inspections: ProcessGroup['inspections']) => string,
  columns: number,
  theme: Theme,
): string {
  const shown = COLUMNS.filter(({ field }) => field !== 'process');
  const all = groups.flatMap(({ inspections }) => inspections);
  const [head = '', ...rows] = tableLines(all, shown, columns, theme);
  let from = 0;
  const lines = groups.flatMap(({ process, inspections }) => {
    const of = rows.slice(from, from + inspections.length);
    from += inspections.length;
    return [theme.strong(processLine(process, inspections.length, countsOf(inspections))), ...of];
  });
  return [head, ...lines].join('\n');
}

function processLine(process: string | undefined, count: number, verdicts: string): string {
  const name = process === undefined ? 'process unknown' : `process ${escapeText(process)}`;
  return `${name} · ${count} ${count === 1 ? 'lease' : 'leases'}: ${verdicts}`;
}

function tableLines(
  inspected: readonly Inspected[],
  shown: readonly TableColumn<PulseCells>[],
  columns: number,
  theme: Theme,
): readonly string[] {
  const colour = ({ verdict: word }: PulseCells, field: keyof PulseCells) => {
    const verdict = VERDICTS.find((known) => known.toUpperCase() === word);
    return field === 'verdict' && verdict ? () => verdictWord(verdict, theme) : undefined;
  };
  return fittedTable(inspected.map(pulseCells), shown, { columns, theme, colour });
}
