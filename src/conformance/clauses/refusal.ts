import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustBeHeldBy, mustBeRefused } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const refusal: Clause = {
  id: 'refusal',
  level: 'contract',
  sentence: 'A key that another owner holds is refused, and stays with its holder.',
  source: SOURCES.acquire,
  async run(trial) {
    const key = trial.key();
    await mustAcquire(trial.one, key, 'a', LONG_TTL_MS);
    await mustBeRefused(trial.one, key, 'b', LONG_TTL_MS);
    await mustBeHeldBy(trial.one, key, 'a', 'the key to be a’s still, after b was refused');
    return passed();
  },
};
