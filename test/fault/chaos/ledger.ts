import { readFile } from 'node:fs/promises';

/** One stay in the critical section. Instants are milliseconds of the host's monotonic clock. */
export interface Stay {
  readonly name: string;
  readonly pid: number;
  readonly enteredAt: number;
  /** The last sign of life, whatever it was. */
  lastAt: number;
  /** When it was told that the lease is lost. */
  toldAt?: number;
  /** Whether it left by itself. */
  hasLeft: boolean;
}

/** Two stays at the same time: what a lease is there to prevent. */
export interface Overlap {
  readonly first: Stay;
  readonly second: Stay;
}

/** This instant, as the ledger has it. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Every stay that the ledger tells of, in the order of entering. */
export async function readLedger(path: string): Promise<readonly Stay[]> {
  const stays = new Map<string, Stay>();
  for (const line of (await readFile(path, 'utf8').catch(() => '')).split('\n')) {
    const [nanoseconds, name, what, pid] = line.split(' ');
    if (name === undefined || pid === undefined) continue;
    const at = Number(nanoseconds) / 1e6;
    const stay = stays.get(name) ?? { name, pid: Number(pid), enteredAt: at, lastAt: at, hasLeft: false };
    stays.set(name, stay);
    stay.lastAt = Math.max(stay.lastAt, at);
    if (what === 'told') stay.toldAt ??= at;
    if (what === 'leave') stay.hasLeft = true;
  }
  return [...stays.values()].sort((one, other) => one.enteredAt - other.enteredAt);
}

/** The pairs of stays that overlap; `endOf` is when a stay counts as over. */
export function overlapsIn(stays: readonly Stay[], endOf: (stay: Stay) => number): readonly Overlap[] {
  return stays.flatMap((first, index) =>
    stays
      .slice(index + 1)
      .filter((second) => second.enteredAt < endOf(first))
      .map((second) => ({ first, second })),
  );
}
