import { claimAtOnce } from '../claim-at-once.js';
import { type Clause, passed } from '../clause.js';
import { SOURCES } from '../sources.js';

/** How many callers ask at once. */
const CALLERS = 50;

export const oneWinner: Clause = {
  id: 'one-winner',
  level: 'concurrency',
  sentence: 'Of many callers at once exactly one gets a free key, and all others are told its name.',
  source: SOURCES.acquire,
  isBusy: true,
  async run(trial) {
    const local = trial.setting.endpoints.filter(({ isElsewhere }) => !isElsewhere);
    const rounds = await claimAtOnce(trial, local, CALLERS);
    return passed(`${rounds} rounds of ${CALLERS} callers`);
  },
};
