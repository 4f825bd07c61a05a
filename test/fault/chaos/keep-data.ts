import type { Run } from './contenders.js';
import { disturb } from './disturbances.js';
import { contendDuring, startField } from './field.js';
import { type Overlap, overlapsIn, readLedger, type Stay } from './ledger.js';

/** What came of a run with faults that keep the data. */
export interface ChaosReport {
  readonly seed: number;
  readonly ms: number;
  readonly operations: number;
  /** How often the lease was held. */
  readonly stays: number;
  readonly faults: number;
  readonly faultsByName: ReadonlyMap<string, number>;
  readonly losses: number;
  readonly overlaps: readonly Overlap[];
  /** What was not as it has to be, a sentence each. */
  readonly broken: readonly string[];
  /** In one line. */
  readonly summary: string;
}

/** Eight processes want one lease, for so long, while their lines, the server and they themselves are disturbed. */
export async function runChaos({ seed, ms }: { seed: number; ms: number }): Promise<ChaosReport> {
  await using field = await startField(seed);
  const faultsByName = await contendDuring(field, () => disturb(field, AbortSignal.timeout(ms)));
  const stays = await readLedger(field.ledger);
  const runs = new Map(field.contenders.flatMap((contender) => contender.runs).map((run) => [run.name, run]));
  // Whoever is frozen past the TTL cannot know: what it does between waking up and hearing of it is not held against it.
  const endOf = ({ name, lastAt }: Stay) => Math.min(lastAt, field.frozen.get(name) ?? lastAt);
  const overlaps = overlapsIn(stays, endOf);
  const lost = [...runs.values()].filter(({ exitCode }) => exitCode === 5);
  const faults = [...faultsByName.values()].reduce((sum, count) => sum + count, 0);
  return {
    seed,
    ms,
    operations: runs.size,
    stays: stays.length,
    faults,
    faultsByName,
    losses: lost.length,
    overlaps,
    broken: [
      ...lost.flatMap((run) => announcedLate(run, stays, field.frozen)),
      ...[...runs.values()].flatMap(unexpectedEnd),
      ...stays.flatMap((stay) => silentEnd(stay, runs.get(stay.name))),
    ],
    summary:
      `chaos, faults that keep data: seed ${seed}, ${ms / 1_000} s, 8 processes, ${runs.size} operations, ` +
      `${stays.length} times held, ${faults} faults, ${lost.length} losses, overlaps = ${overlaps.length}`,
  };
}

/** A loss is told to what runs under the lease before anybody else gets in. */
function announcedLate(
  run: Run,
  stays: readonly Stay[],
  frozen: ReadonlyMap<string, number>,
): readonly string[] {
  const own = stays.find(({ name }) => name === run.name);
  const next = own && stays.find(({ enteredAt }) => enteredAt > own.enteredAt);
  if (run.lostAt === undefined) return [`${run.name} ended with 5 and did not say why`];
  if (!own || !next || frozen.has(run.name)) return [];
  const toldAt = own.toldAt ?? own.lastAt;
  return toldAt < next.enteredAt ? [] : [`${run.name} was told of its loss after ${next.name} was in`];
}

/** 0 the work was done, 5 lost, 6 somebody else had it all the time, 7 and 8 the line was not good enough to begin. */
const EXPECTED = [0, 5, 6, 7, 8];

function unexpectedEnd({ name, exitCode, stderr }: Run): readonly string[] {
  return EXPECTED.some((code) => code === exitCode) ? [] : [`${name} ended with ${exitCode}: ${stderr}`];
}

/** Whoever got in and did not come to the end of its work says so. */
function silentEnd(stay: Stay, run: Run | undefined): readonly string[] {
  if (run?.exitCode === 5 || (run?.exitCode === 0 && stay.hasLeft && stay.toldAt === undefined)) return [];
  return [`${stay.name} was in, and exec ended with ${run?.exitCode}`];
}
