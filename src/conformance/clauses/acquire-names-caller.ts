import { namedOwner } from '../call.js';
import { type Clause, passed } from '../clause.js';
import { must, mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const acquireNamesCaller: Clause = {
  id: 'acquire-names-caller',
  level: 'contract',
  sentence: 'A key that nobody holds is given to who asks for it, and the answer names the caller.',
  source: SOURCES.acquire,
  async run(trial) {
    const claim = await mustAcquire(trial.one, trial.key(), 'a', LONG_TTL_MS);
    must(namedOwner(claim) === 'a', 'the caller, a, as the owner of what it acquired');
    return passed();
  },
};
