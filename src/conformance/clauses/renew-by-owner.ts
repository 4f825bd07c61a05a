import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustAnswer, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const renewByOwner: Clause = {
  id: 'renew-by-owner',
  level: 'contract',
  sentence: 'A renewal by the holder answers true, and the key stays with it.',
  source: SOURCES.renew,
  async run(trial) {
    const key = trial.key();
    await mustAcquire(trial.one, key, 'a', LONG_TTL_MS);
    await mustAnswer(trial.one.renew(key, 'a', LONG_TTL_MS), true, 'true for a, who holds the key');
    await mustBeHeldBy(trial.one, key, 'a', 'the key to be a’s still');
    return passed();
  },
};
