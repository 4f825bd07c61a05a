/** What was measured several times. */
export class Sample {
  readonly #sorted: readonly number[];

  constructor(values: readonly number[]) {
    this.#sorted = values.toSorted((a, b) => a - b);
  }

  get median(): number {
    return this.quantile(0.5);
  }

  /** How far apart the middle half of it lies, as a share of the median. */
  get spread(): number {
    return (this.quantile(0.75) - this.quantile(0.25)) / this.median;
  }

  /** The value below which this share of it lies. */
  quantile(share: number): number {
    const last = this.#sorted.length - 1;
    return this.#sorted[Math.min(last, Math.floor(share * this.#sorted.length))] ?? Number.NaN;
  }
}

/** One thing to measure against others: answers what it took, in whatever unit. */
export type Measure = () => number | Promise<number>;

/**
 * Measures everything side by side: every round does each once, and every other round in the opposite order, so that what
 * the machine does meanwhile is shared. The first rounds only warm up.
 */
export async function interleave<Name extends string>(
  measures: Readonly<Record<Name, Measure>>,
  { rounds, warmUps = 2 }: { readonly rounds: number; readonly warmUps?: number },
): Promise<(name: Name) => Sample> {
  const entries = Object.entries<Measure>(measures);
  const values = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (const [name, measure] of round % 2 === 0 ? entries : entries.toReversed()) {
      const value = await measure();
      if (round >= warmUps) values.get(name)?.push(value);
    }
  }
  return (name) => new Sample(values.get(name) ?? []);
}
