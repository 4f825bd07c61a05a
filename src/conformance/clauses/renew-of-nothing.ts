import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustAnswer, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const renewOfNothing: Clause = {
  id: 'renew-of-nothing',
  level: 'contract',
  sentence: 'A renewal of a key that nobody holds answers false and creates no lease.',
  source: SOURCES.renew,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    await mustAnswer(one.renew(key, 'a', LONG_TTL_MS), false, 'false for a key that nobody ever held');
    await mustBeHeldBy(one, key, undefined, 'the key to be free still');
    await mustAcquire(one, key, 'a', LONG_TTL_MS);
    await one.release(key, 'a');
    await mustAnswer(one.renew(key, 'a', LONG_TTL_MS), false, 'false for a, who released the key');
    await mustBeHeldBy(one, key, undefined, 'the key to be free still, after it was released');
    return passed();
  },
};
