import { isAcquired, type RecordedCall } from '../call.js';
import { type Clause, notShown, passed, Violation } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS, shortTtlMs } from '../timing.js';
import { together } from '../together.js';
import type { Trial } from '../trial.js';

/** How many leases are raced for, and how often. */
const KEYS = 60;
const ROUNDS = 2;
/** From when to when, in milliseconds around their ends, they are renewed. */
const RENEWALS_MS = [-80, 4] as const;
/** From when to when another owner asks for them, and how often. */
const CLAIMS_MS = [-4, 80] as const;
const CLAIMS = 20;

export const expiryRace: Clause = {
  id: 'expiry-race',
  level: 'concurrency',
  sentence: 'When a lease ends while its holder renews it and another asks for it, only one of them gets it.',
  source: SOURCES.renew,
  async run(trial) {
    const ttlMs = shortTtlMs(trial);
    const races: Awaited<ReturnType<typeof race>>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const some = Array.from({ length: KEYS }, (_, index) =>
        race(trial, ttlMs, between(RENEWALS_MS, index / KEYS)),
      );
      races.push(...(await together(some)));
    }
    const kept = races.filter(({ isKept }) => isKept).length;
    const lost = races.filter(({ isLost }) => isLost).length;
    if (kept + lost === 0) return notShown('neither a renewal nor a claim came in time');
    return passed(`${races.length} leases at their end: ${kept} kept, ${lost} lost`);
  },
};

function between([from, to]: readonly [number, number], part: number): number {
  return from + (to - from) * part;
}

/** Renews a lease so many milliseconds after its end, or before, while another asks for it over and over. */
async function race(trial: Trial, ttlMs: number, renewalMs: number) {
  const key = trial.key();
  const claim = await mustAcquire(trial.one, key, 'a', ttlMs);
  const endMs = claim.startMs + ttlMs;
  const renewing = trial.sleepUntil(endMs + renewalMs).then(() => trial.one.renew(key, 'a', LONG_TTL_MS));
  const [renewal, claims] = await together([renewing, claimAround(trial, key, endMs)]);
  const read = await trial.one.read(key);
  const calls = [claim, ...claims.slice(-1), renewal, read];
  const isKept = renewal.answer === true;
  const isLost = claims.some(isAcquired);
  if (isKept && isLost) throw new Violation('either a to keep the key or b to get it, not both', { calls });
  const holder = isKept ? 'a' : isLost ? 'b' : undefined;
  if (holder !== undefined && read.answer !== holder) {
    throw new Violation(`${holder}, who was told so, to hold the key`, { calls });
  }
  return { isKept, isLost };
}

async function claimAround(trial: Trial, key: string, endMs: number): Promise<readonly RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for (let index = 0; index < CLAIMS && !calls.some(isAcquired); index += 1) {
    await trial.sleepUntil(endMs + between(CLAIMS_MS, index / CLAIMS));
    calls.push(await trial.two.acquire(key, 'b', LONG_TTL_MS));
  }
  return calls;
}
