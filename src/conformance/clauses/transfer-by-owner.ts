import { type Clause, passed } from '../clause.js';
import { mustAcquire, mustAnswer, mustBeHeldBy, mustBeRefused } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const transferByOwner: Clause = {
  id: 'transfer-by-owner',
  level: 'contract',
  sentence:
    'A transfer by the holder answers true: the next owner holds the key, and the earlier one nothing.',
  source: SOURCES.transfer,
  async run(trial) {
    const { one } = trial;
    const key = trial.key();
    await mustAcquire(one, key, 'a', LONG_TTL_MS);
    await mustAnswer(one.transfer(key, 'a', 'b', LONG_TTL_MS), true, 'true for a, who holds the key');
    await mustBeHeldBy(one, key, 'b', 'the key to be b’s');
    await mustAnswer(one.renew(key, 'a', LONG_TTL_MS), false, 'false for a, which handed the key to b');
    await mustBeRefused(one, key, 'a', LONG_TTL_MS);
    await mustAnswer(one.renew(key, 'b', LONG_TTL_MS), true, 'true for b, which was handed the key');
    return passed();
  },
};
