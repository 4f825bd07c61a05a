import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustAnswer, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const renewByOther: Clause = {
  id: 'renew-by-other',
  level: 'contract',
  sentence: 'A renewal by anyone but the holder answers false, and the key stays with its holder.',
  source: SOURCES.renew,
  async run(trial) {
    const key = trial.key();
    await mustAcquire(trial.one, key, 'a', LONG_TTL_MS);
    await mustAnswer(trial.one.renew(key, 'b', LONG_TTL_MS), false, 'false for b, while a holds the key');
    await mustBeHeldBy(trial.one, key, 'a', 'the key to be a’s still');
    return passed();
  },
};
