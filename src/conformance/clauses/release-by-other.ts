import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const releaseByOther: Clause = {
  id: 'release-by-other',
  level: 'contract',
  sentence: 'A release by anyone but the owner does nothing, an earlier owner included.',
  source: SOURCES.release,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    await mustAcquire(one, key, 'a', LONG_TTL_MS);
    await one.release(key, 'b');
    await mustBeHeldBy(one, key, 'a', 'the key to be a’s still, after b released it');
    await one.release(key, 'a');
    await mustAcquire(one, key, 'b', LONG_TTL_MS);
    await one.release(key, 'a');
    await mustBeHeldBy(one, key, 'b', 'the key to be b’s still, after its earlier owner a released it again');
    return passed();
  },
};
