import { escapeText } from '../../lease/text.js';
import type { Theme } from '../../output/theme.js';
import { coarseDuration, elapsedText } from '../coarse-duration.js';
import { padText, padTextStart } from '../fit-text.js';
import { HEALTH_TONE, HEALTH_WORD } from '../health-word.js';
import { type LeaseRow, leftAt, resourceOf } from '../lease-row.js';
import { bar, sparkline } from '../meters.js';
import type { RowOrder, RowSort } from '../row-order.js';
import { type Column, type ColumnName, columnsFor, MARGIN } from '../table-columns.js';
import { writtenId, writtenOwner } from '../written.js';
import { type Canvas, Line, type Span } from './line.js';

interface TableProps {
  readonly canvas: Canvas;
  readonly rows: readonly LeaseRow[];
  readonly height: number;
  readonly selected: LeaseRow | undefined;
  readonly order: RowOrder;
  readonly atMs: number;
  /** What is shown is only what was known when the backend was lost. */
  readonly isStale: boolean;
  /** What to say where there are no rows. */
  readonly emptiness: string;
}

/** The leases that fit on the screen, below the heads of their columns. */
export function Table({ canvas, rows, height, selected, order, emptiness, ...moment }: TableProps) {
  const columns = columnsFor(canvas.width);
  const blank = Math.max(0, height - Math.max(1, rows.length));
  return (
    <>
      <Head canvas={canvas} columns={columns} order={order} />
      {rows.map((row) => (
        <Row
          key={row.id}
          canvas={canvas}
          columns={columns}
          row={row}
          isSelected={row === selected}
          {...moment}
        />
      ))}
      {rows.length === 0 && <Line canvas={canvas} spans={[{ text: `   ${emptiness}`, tone: 'dim' }]} />}
      {Array.from({ length: blank }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blank lines are all the same
        <Line key={line} canvas={canvas} spans={[]} />
      ))}
    </>
  );
}

/** The column that an order is shown at. */
const SORTED_COLUMN: Record<RowSort, ColumnName> = {
  worst: 'health',
  kind: 'kind',
  resource: 'resource',
  thread: 'thread',
  owner: 'owner',
  left: 'left',
  seen: 'seen',
};

interface HeadProps {
  readonly canvas: Canvas;
  readonly columns: readonly Column[];
  readonly order: RowOrder;
}

function Head({ canvas, columns, order }: HeadProps) {
  const spans = columns.flatMap(({ name, title, width }, index): Span[] => {
    const isSorted = SORTED_COLUMN[order.sort] === name;
    const text = isSorted ? `${title}${order.isReversed ? '▴' : '▾'}` : title;
    const cell = name === 'left' || name === 'seen' ? padTextStart(text, width) : padText(text, width);
    return [gapBefore(index), { text: cell, tone: isSorted ? 'strong' : 'dim' }];
  });
  return <Line canvas={canvas} spans={spans} />;
}

function gapBefore(index: number): string {
  return index === 0 ? ' '.repeat(MARGIN) : '  ';
}

interface RowProps extends Pick<TableProps, 'canvas' | 'atMs' | 'isStale'> {
  readonly columns: readonly Column[];
  readonly row: LeaseRow;
  readonly isSelected: boolean;
}

function Row({ canvas, columns, row, isSelected, atMs, isStale }: RowProps) {
  const plain: keyof Theme | undefined = isStale ? 'dim' : isSelected ? 'strong' : undefined;
  const spans = columns.flatMap(({ name, width }, index): Span[] => {
    const gap = index === 0 ? { text: isSelected ? ' ▸ ' : '   ', tone: plain } : '  ';
    const { text, tone } = CELLS[name]({ row, atMs, isStale, width });
    return [gap, { text, tone: isStale ? 'dim' : (tone ?? plain) }];
  });
  return <Line canvas={canvas} spans={spans} />;
}

interface CellInput {
  readonly row: LeaseRow;
  readonly atMs: number;
  readonly isStale: boolean;
  readonly width: number;
}

interface Cell {
  readonly text: string;
  readonly tone?: keyof Theme | undefined;
}

const CELLS: Record<ColumnName, (input: CellInput) => Cell> = {
  kind: ({ row, width }) => ({ text: padText(row.parts.kind, width) }),
  resource: ({ row, width }) => ({ text: padText(escapeText(resourceOf(row)), width) }),
  thread: ({ row, width }) => ({ text: padText(writtenId(row), width) }),
  owner: ({ row, width }) => ({ text: padText(writtenOwner(row), width) }),
  left: ({ row, atMs, isStale, width }) => ({
    text: padTextStart(leftText(leftAt(row, atMs), isStale), width),
    tone: toneOf(row),
  }),
  bar: ({ row, atMs, width }) => ({ text: padText(barText(row, atMs, width), width), tone: toneOf(row) }),
  health: ({ row, width }) => ({
    text: padText(row.health === undefined ? '?' : HEALTH_WORD[row.health], width),
    tone: toneOf(row) ?? (row.health === 'ok' ? 'good' : undefined),
  }),
  seen: ({ row, atMs, width }) => ({
    text: padTextStart(elapsedText(atMs - row.seenAtMs), width),
    tone: 'dim',
  }),
  renewals: ({ row, width }) => ({
    text: padText(sparkline(row.renewals.intervalsMs, row.longestMs, width), width),
    tone: 'dim',
  }),
};

/** Only a problem is coloured: what is well stays in the background. */
function toneOf({ health }: LeaseRow): keyof Theme | undefined {
  return health === undefined || health === 'ok' ? undefined : HEALTH_TONE[health];
}

/**
 * The time left as a number: to the second, since tenths would only flicker, but for the last one. While nothing is known, a
 * lease past its end may have ended or not.
 */
export function leftText(leftMs: number | null | undefined, isStale: boolean): string {
  if (leftMs === undefined) return '?';
  if (leftMs === null) return '∞';
  if (leftMs === 0 && isStale) return 'over?';
  return leftMs < 1_000 ? coarseDuration(leftMs) : elapsedText(leftMs);
}

function barText(row: LeaseRow, atMs: number, width: number): string {
  const leftMs = leftAt(row, atMs);
  if (leftMs === undefined) return '';
  return leftMs === null ? 'no expiry' : bar(leftMs, row.longestMs, width);
}
