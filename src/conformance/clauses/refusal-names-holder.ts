import { namedOwner } from '../call.js';
import { type Clause, passed } from '../clause.js';
import { must, mustAcquire, mustBeRefused } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const refusalNamesHolder: Clause = {
  id: 'refusal-names-holder',
  level: 'contract',
  sentence: 'A refusal names the holder, so that the caller can hand its work to it.',
  source: SOURCES.acquire,
  async run(trial) {
    const key = trial.key();
    await mustAcquire(trial.one, key, 'a', LONG_TTL_MS);
    const refusal = await mustBeRefused(trial.one, key, 'b', LONG_TTL_MS);
    must(namedOwner(refusal) === 'a', 'the holder, a, in the refusal: nobody else touches this key');
    return passed();
  },
};
