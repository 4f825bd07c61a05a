/** The size of a terminal, in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The smallest terminal that shows more than that it is too small. */
export const SMALLEST: Size = { columns: 40, rows: 8 };

/** The smallest one that shows all that a write would do: what cannot be read is not confirmed. */
export const SMALLEST_FOR_WRITES: Size = { columns: 60, rows: 15 };

/** How the lines of the screen are shared out. */
export interface Layout {
  readonly isTooSmall: boolean;
  readonly width: number;
  /** Lines between header and footer. */
  readonly body: number;
  /** Leases in the table, below its head. */
  readonly table: number;
  /** Lines of the log; 0 for no log, nor the rule above it. */
  readonly log: number;
}

const HEADER = 3;
const FOOTER = 1;

/** Shares the lines out. One line is left free: a frame as tall as the terminal flickers. */
export function layoutOf({ columns, rows }: Size, smallest: Size = SMALLEST): Layout {
  const body = Math.max(0, rows - 1 - HEADER - FOOTER);
  const log = body < 7 ? 0 : Math.min(12, Math.floor(body * 0.3));
  return {
    isTooSmall: columns < smallest.columns || rows < smallest.rows,
    width: columns,
    body,
    table: Math.max(1, body - 1 - (log > 0 ? log + 1 : 0)),
    log,
  };
}
