import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustAnswer, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS, shortTtlMs, waitUntilOver } from '../timing.js';

export const renewAfterExpiry: Clause = {
  id: 'renew-after-expiry',
  level: 'contract',
  sentence: 'A renewal of a lease that is over answers false and does not bring it back.',
  source: SOURCES.renew,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    const ttlMs = shortTtlMs(trial);
    const claim = await mustAcquire(one, key, 'a', ttlMs);
    await waitUntilOver(trial, claim, ttlMs);
    await mustAnswer(one.renew(key, 'a', LONG_TTL_MS), false, 'false for a, whose lease is over');
    await mustBeHeldBy(one, key, undefined, 'the lease not to be back');
    return passed();
  },
};
