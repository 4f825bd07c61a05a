import { namedOwner } from '../call.js';
import { type Clause, passed } from '../clause.js';
import { must, mustAcquire, mustBeHeldBy } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const reacquire: Clause = {
  id: 'reacquire',
  level: 'contract',
  sentence: 'The holder may acquire again: it is granted, and names the caller.',
  source: SOURCES.acquire,
  async run(trial) {
    const key = trial.key();
    await mustAcquire(trial.one, key, 'a', LONG_TTL_MS);
    const again = await mustAcquire(
      trial.one,
      key,
      'a',
      LONG_TTL_MS,
      'what a holds is given to a when it asks again',
    );
    must(namedOwner(again) === 'a', 'the caller, a, as the owner of what it acquired again');
    await mustBeHeldBy(trial.one, key, 'a', 'the key to be a’s still');
    return passed();
  },
};
