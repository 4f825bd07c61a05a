import type { Cell, FaultReport } from './cell.js';
import { SECRET } from './fault.js';

/** What `--timeout` may be exceeded by. */
const LATE_MS = 1_000;
/** What starting a program may take, as a multiple of what it took another at the time. */
const UNEVEN = 3;

/** The exit codes that say that nothing was changed, and the codes of the errors that do. */
const UNCHANGED = /^(2|3|4|6|7|9|10|ERR_LEASE_(?!OUTCOME_UNKNOWN).*)$/;

/** The promises that a run has broken, one text each. */
export function brokenPromises(report: FaultReport): readonly string[] {
  const { cells, leftOpen, printed } = report;
  const broken = cells.flatMap((cell) => {
    const { surface, verb, answer, output } = cell;
    return brokenBy(cell, report).map((promise) => `${surface} ${verb} (${answer}) ${promise}\n${output}`);
  });
  if (leftOpen.length > 0) broken.push(`the library left open: ${leftOpen.join(', ')}`);
  if (printed !== '') broken.push(`the library printed by itself: ${printed}`);
  return broken;
}

function brokenBy(cell: Cell, { fault, startMs }: FaultReport): readonly string[] {
  const { answer, output, ms, allowedMs } = cell;
  const late = ms - allowedMs - LATE_MS - (cell.surface === 'cli' ? UNEVEN * startMs : 0);
  const rules: readonly (readonly [boolean, string])[] = [
    ...claimRules(cell),
    [
      !fault.losesLeases && cell.effects === 0 && isGone(cell),
      'met a lease that is gone, which this fault keeps',
    ],
    [cell.effects !== undefined && cell.effects > mostEffects(cell), `changed it ${cell.effects} times`],
    [saysUnchanged(cell) && hasChanged(cell, fault.losesLeases === true), 'said that nothing was changed'],
    [late > 0, `took ${Math.round(ms)} ms, where starting takes ${Math.round(startMs)} ms`],
    [answer === '1' || answer === 'NO CODE', 'was told as a bug'],
    [output.includes(SECRET), 'printed a secret'],
    ...(cell.surface === 'cli' ? wordingRules(cell) : []),
  ];
  return rules.flatMap(([isBroken, promise]) => (isBroken ? [promise] : []));
}

/** An answer agrees with what is there. */
function claimRules({ claim, after }: Cell): readonly (readonly [boolean, string])[] {
  const owner = after?.owner;
  if (claim === undefined) return [];
  if ('free' in claim) return [[owner !== undefined, `said free, and it is ${owner}'s`]];
  if ('heldBy' in claim)
    return [[owner !== claim.heldBy, `said ${claim.heldBy}'s, and it is ${owner ?? 'nobody'}'s`]];
  return [[owner === claim.notHeldBy, 'said lost, and it is not']];
}

/** `exec` acquires, and gives back; each other write happens once, or not at all where it says so. */
function mostEffects({ verb, isWrite, answer }: Cell): number {
  if (verb === 'exec') return Number.POSITIVE_INFINITY;
  return isWrite && !UNCHANGED.test(answer) ? 1 : 0;
}

function saysUnchanged({ hasFailed, answer }: Cell): boolean {
  return hasFailed && UNCHANGED.test(answer);
}

function isGone({ before, after }: Cell): boolean {
  return before !== undefined && after === undefined;
}

function hasChanged({ before, after }: Cell, losesLeases: boolean): boolean {
  if (losesLeases && after === undefined) return false;
  return after?.owner !== before?.owner || (after?.leftMs ?? 0) > (before?.leftMs ?? 0);
}

function wordingRules({ answer, output, said, hasFailed }: Cell): readonly (readonly [boolean, string])[] {
  const errors = said.split('\n').filter((line) => /^(mastra-lease: )?error /.test(line));
  return [
    [!/^\d+$/.test(answer), 'was killed'],
    [/^\s+at /m.test(output), 'printed a stack'],
    [hasFailed && errors.length !== 1, 'did not say in one line what went wrong'],
  ];
}
