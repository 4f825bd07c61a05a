import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustAnswer, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const transferByOther: Clause = {
  id: 'transfer-by-other',
  level: 'contract',
  sentence: 'A transfer from anyone but the holder answers false, and the key stays with its holder.',
  source: SOURCES.transfer,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    await mustAcquire(one, key, 'a', LONG_TTL_MS);
    await mustAnswer(one.transfer(key, 'b', 'c', LONG_TTL_MS), false, 'false for b, while a holds the key');
    await mustBeHeldBy(one, key, 'a', 'the key to be a’s still');
    await mustAnswer(
      one.transfer(key, 'b', 'a', LONG_TTL_MS),
      false,
      'false for b, even where the key would go to its holder',
    );
    await mustBeHeldBy(one, key, 'a', 'the key to be a’s still');
    return passed();
  },
};
