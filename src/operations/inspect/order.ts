import { processOf, quietMs } from '../../lease/facts.js';
import { parseKey } from '../../lease/key.js';
import { VERDICTS, type Verdict } from '../../lease/verdict.js';
import type { Inspected } from './inspect.js';

/** The leases that one server process holds; `undefined` for those of which nothing tells it. */
export interface ProcessGroup {
  readonly process: string | undefined;
  readonly inspections: readonly Inspected[];
}

/** How many there are of each verdict, worst first, without those that nothing has. */
export type VerdictCounts = readonly (readonly [verdict: Verdict, count: number])[];

/** Worst first; of one verdict, what has been quiet for the longest time; equal ones by key, so that two looks compare. */
export function sortInspected<Some extends Inspected>(inspected: readonly Some[]): readonly Some[] {
  return inspected.toSorted(
    (a, b) =>
      rank(a) - rank(b) || quietness(b) - quietness(a) || compareText(a.key ?? a.thread, b.key ?? b.thread),
  );
}

/** Groups by the process that holds a lease, the one with the worst of them first: one dead process may explain them all. */
export function groupByProcess(inspected: readonly Inspected[]): readonly ProcessGroup[] {
  const groups = Map.groupBy(sortInspected(inspected), (one) =>
    one.key === undefined ? undefined : processOf(one.facts),
  );
  return [...groups].map(([process, of]) => ({ process, inspections: of }));
}

export function countVerdicts(inspected: readonly Inspected[]): VerdictCounts {
  const groups = Map.groupBy(inspected, ({ judgement }) => judgement.verdict);
  return VERDICTS.flatMap((verdict) => {
    const count = groups.get(verdict)?.length;
    return count === undefined ? [] : [[verdict, count] as const];
  });
}

/** Locks, claims and fences have no events: that nothing is known of them is their normal state, and no news. */
function rank({ key, judgement: { verdict } }: Inspected): number {
  const isNormal = verdict === 'unknown' && key !== undefined && parseKey(key).kind !== 'thread';
  return isNormal ? VERDICTS.indexOf('working') + 0.5 : VERDICTS.indexOf(verdict);
}

function quietness(inspected: Inspected): number {
  return (inspected.key === undefined ? undefined : quietMs(inspected.facts)) ?? -1;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
