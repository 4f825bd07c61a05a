import { isAcquired, type RecordedCall } from '../call.js';
import { type Clause, notShown, passed, Violation } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { inRounds } from '../rounds.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS, shortTtlMs } from '../timing.js';
import { together } from '../together.js';
import type { Trial } from '../trial.js';

/** How many leases are raced for at once, and how often. */
const KEYS = 60;
const ROUNDS = { atLeast: 2, atMost: 2, withinMs: 0 };
/** Of so many leases one is not renewed: whoever asks for it finds it over. */
const LEFT_ALONE = 4;
/** From when to when, in milliseconds around the end of its lease, a key is renewed. */
const RENEWALS_MS = [4, -80] as const;
/** From when on others ask for it, for how long and how often. */
const CLAIMS_FROM_MS = -4;
const CLAIMS_FOR_MS = 84;
const CLAIMS = 12;

export const expiryRace: Clause = {
  id: 'expiry-race',
  level: 'concurrency',
  sentence: 'When a lease ends while its holder renews it and others ask for it, only one of them gets it.',
  source: SOURCES.acquire,
  async run(trial) {
    const ttlMs = shortTtlMs(trial);
    const takers: (string | undefined)[] = [];
    await inRounds(trial, ROUNDS, async () => {
      const races = Array.from({ length: KEYS }, (_, index) =>
        index % LEFT_ALONE === 0
          ? takeOver(trial, ttlMs)
          : renewAtEnd(trial, ttlMs, spread(RENEWALS_MS, index / KEYS)),
      );
      takers.push(...(await together(races)));
    });
    const taken = takers.filter((taker) => taker !== undefined);
    if (taken.length === 0) return notShown('neither a renewal nor a claim came in time');
    const kept = taken.filter((taker) => taker === 'a').length;
    return passed(`${takers.length} leases at their end: ${kept} kept, ${taken.length - kept} lost`);
  },
};

/** More of them near the beginning than near the end: what is a moment apart shows only there. */
function spread([from, to]: readonly [number, number], part: number): number {
  return from + (to - from) * part ** 2;
}

/** Renews a lease so many milliseconds after its end, or before, while others ask for it. */
async function renewAtEnd(trial: Trial, ttlMs: number, renewalMs: number): Promise<string | undefined> {
  const { one } = trial;
  const key = trial.key();
  const claim = await mustAcquire(one, key, 'a', ttlMs);
  const endMs = claim.startMs + ttlMs;
  const renewing = trial.sleepUntil(endMs + renewalMs).then(() => one.renew(key, 'a', LONG_TTL_MS));
  const [renewal, claims] = await together([renewing, claimFrom(trial, key, endMs + CLAIMS_FROM_MS)]);
  return takerOf(trial, key, [claim, renewal], renewal.answer === true ? [renewal, ...claims] : claims);
}

/** Lets others ask for a lease once it is over for certain. */
async function takeOver(trial: Trial, ttlMs: number): Promise<string | undefined> {
  const key = trial.key();
  const claim = await mustAcquire(trial.one, key, 'a', ttlMs);
  return takerOf(trial, key, [claim], await claimFrom(trial, key, claim.endMs + ttlMs + 1));
}

/** Two others ask at the same moments, whether or not an answer is there yet; answers what was granted. */
async function claimFrom(trial: Trial, key: string, fromMs: number): Promise<readonly RecordedCall[]> {
  let isOver = false;
  const asking = Array.from({ length: CLAIMS }, async (_, index) => {
    await trial.sleepUntil(fromMs + spread([0, CLAIMS_FOR_MS], index / CLAIMS));
    if (isOver) return [];
    const calls = await together([
      trial.two.acquire(key, 'b', LONG_TTL_MS),
      trial.one.acquire(key, 'c', LONG_TTL_MS),
    ]);
    isOver ||= calls.some(isAcquired);
    return calls.filter(isAcquired);
  });
  return (await together(asking)).flat();
}

/** The one who was told that it has the key; `undefined` where nobody was. */
async function takerOf(
  trial: Trial,
  key: string,
  calls: readonly RecordedCall[],
  granted: readonly RecordedCall[],
): Promise<string | undefined> {
  const read = await trial.one.read(key);
  const owners = [...new Set(granted.map(({ args }) => String(args[1])))];
  const [taker] = owners;
  const shown = { calls: [...new Set([...calls, ...granted, read])] };
  if (owners.length > 1) {
    throw new Violation(`one of a, b and c to get the key: ${owners.join(' and ')} were told so`, shown);
  }
  if (taker !== undefined && read.answer !== taker) {
    throw new Violation(`${taker}, who was told so, to hold the key`, shown);
  }
  return taker;
}
