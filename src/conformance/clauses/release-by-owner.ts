import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const releaseByOwner: Clause = {
  id: 'release-by-owner',
  level: 'contract',
  sentence: 'What its owner releases is free for anyone.',
  source: SOURCES.release,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    await mustAcquire(one, key, 'a', LONG_TTL_MS);
    await one.release(key, 'a');
    await mustAcquire(one, key, 'b', LONG_TTL_MS, 'b to get the key that a released');
    await mustBeHeldBy(one, key, 'b', 'the key to be b’s');
    return passed();
  },
};
