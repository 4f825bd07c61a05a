import { type Clause, passed } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS, shortTtlMs, waitUntilOver } from '../timing.js';

export const expiryInTime: Clause = {
  id: 'expiry-in-time',
  level: 'contract',
  sentence:
    'A lease that is not renewed ends with its TTL, within a tolerance, and the key is free for anyone.',
  source: SOURCES.acquire,
  async run(trial) {
    const key = trial.key();
    const ttlMs = shortTtlMs(trial);
    const { expiryToleranceMs } = trial.setting;
    const claim = await mustAcquire(trial.one, key, 'a', ttlMs);
    await waitUntilOver(trial, claim, ttlMs);
    await mustAcquire(
      trial.one,
      key,
      'b',
      LONG_TTL_MS,
      `b to get the key once the ${ttlMs} ms of a are over, with ${expiryToleranceMs} ms of tolerance`,
    );
    return passed(`no later than ${expiryToleranceMs} ms after its ${ttlMs} ms`);
  },
};
