import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const ownerRead: Clause = {
  id: 'owner-read',
  level: 'contract',
  sentence: 'Reading the owner answers the holder, and undefined when nobody holds the key.',
  source: SOURCES.read,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    await mustBeHeldBy(one, key, undefined, 'undefined for a key that nobody ever held');
    await mustAcquire(one, key, 'a', LONG_TTL_MS);
    await mustBeHeldBy(one, key, 'a', 'the holder, a');
    await one.release(key, 'a');
    await mustBeHeldBy(one, key, undefined, 'undefined once a has released the key');
    return passed();
  },
};
