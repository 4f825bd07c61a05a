import { type Clause, passed, Violation } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { isWithin, measure } from '../timing.js';

/** How often the lease is renewed: long enough to outlive its first TTL, and late in it too. */
const RESTS = [1 / 3, 1 / 3, 1 / 3, 2 / 3, 1 / 3];

export const renewedInTime: Clause = {
  id: 'renewed-in-time',
  level: 'contract',
  sentence: 'A holder that renews in time, as the runtime does every third of the TTL, keeps its lease.',
  source: SOURCES.renew,
  run: (trial) =>
    measure(trial, async (ttlMs) => {
      const key = trial.key();
      let grant = await mustAcquire(trial.one, key, 'a', ttlMs);
      for (const rest of RESTS) {
        await trial.sleepUntil(grant.endMs + ttlMs * rest);
        const renewal = await trial.one.renew(key, 'a', ttlMs);
        if (!isWithin(renewal, grant, ttlMs)) return 'void';
        if (renewal.answer !== true) throw new Violation(`true for a, which renewed within its ${ttlMs} ms`);
        grant = renewal;
      }
      return passed(`${RESTS.length} renewals of ${ttlMs} ms`);
    }),
};
