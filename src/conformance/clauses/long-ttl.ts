import { type Clause, passed } from '../clause.js';
import { mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';

/** How long, in milliseconds, the lease must have been held for that to say much. */
const TELLING_MS = 3_000;

export const longTtl: Clause = {
  id: 'long-ttl',
  level: 'contract',
  sentence: 'A long TTL is not cut: a lease taken at the beginning of the run is held at its end.',
  source: SOURCES.acquire,
  comesAfter: true,
  async run(trial) {
    const { standing } = trial.setting;
    if (!standing) throw new Error('No lease was taken at the beginning');
    const { key, owner, claim, ttlMs } = standing;
    trial.record([claim]);
    await trial.sleepUntil(claim.endMs + TELLING_MS);
    const read = await mustBeHeldBy(
      trial.one,
      key,
      owner,
      `the lease of ${ttlMs / 60_000} min that was taken at the beginning to be held`,
    );
    return passed(
      `held after ${((read.startMs - claim.endMs) / 1_000).toFixed(1)} s of ${ttlMs / 60_000} min`,
    );
  },
};
