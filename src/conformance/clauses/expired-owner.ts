import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { shortTtlMs, waitUntilOver } from '../timing.js';

export const expiredOwner: Clause = {
  id: 'expired-owner',
  level: 'contract',
  sentence: 'Reading the owner of a lease that is over answers undefined.',
  source: SOURCES.read,
  async run(trial) {
    const key = trial.key();
    const ttlMs = shortTtlMs(trial);
    const claim = await mustAcquire(trial.one, key, 'a', ttlMs);
    await waitUntilOver(trial, claim, ttlMs);
    await mustBeHeldBy(trial.one, key, undefined, `nobody, once the ${ttlMs} ms of a are over`);
    return passed();
  },
};
