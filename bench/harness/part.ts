/** A table of the page, with its title. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What was asked for, and what was found. */
export interface Goal {
  readonly what: string;
  readonly goal: string;
  readonly figure: string;
  readonly isMet: boolean;
  /** Why it is missed, or what the figure leaves out. */
  readonly note?: string;
}

/** A line or points of a plot. */
export interface Point {
  readonly series: string;
  readonly x: number;
  readonly y: number;
}

/** A plot of the page. */
export interface Plot {
  /** The name of its file, without `bench-` and `.svg`. */
  readonly name: string;
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly isLogX?: boolean;
  readonly isLogY?: boolean;
  readonly points: readonly Point[];
}

/** What a part found. */
export interface Findings {
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  readonly plots?: readonly Plot[];
}

/** A part of the benchmark. */
export interface Part {
  readonly name: string;
  readonly title: string;
  /** What is done, what it is compared with, and what bounds it. */
  readonly work: string;
  readonly peer: string;
  readonly limit: string;
  run(): Promise<Findings>;
}

/** A goal on a number that must not be above, or below, another. */
export function atMost(what: string, figure: number, most: number, unit = '', note?: string): Goal {
  return {
    what,
    goal: `≤ ${most}${unit}`,
    figure: `${round(figure)}${unit}`,
    isMet: figure <= most,
    ...(note !== undefined && { note }),
  };
}

export function atLeast(what: string, figure: number, least: number, unit = '', note?: string): Goal {
  return {
    what,
    goal: `≥ ${least}${unit}`,
    figure: `${round(figure)}${unit}`,
    isMet: figure >= least,
    ...(note !== undefined && { note }),
  };
}

/** A number with three digits that mean something, and all those before the point. */
export function round(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value
    .toFixed(Math.min(digits, 3))
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}
