import { type Clause, passed } from '../clause.js';
import { mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';

export const releaseOfNothing: Clause = {
  id: 'release-of-nothing',
  level: 'contract',
  sentence: 'Releasing a key that nobody holds does nothing, and does not throw.',
  source: SOURCES.release,
  async run(trial) {
    const key = trial.key();
    await trial.one.release(key, 'a');
    await mustBeHeldBy(trial.one, key, undefined, 'the key to be free still');
    return passed();
  },
};
