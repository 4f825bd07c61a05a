import { claimAtOnce } from '../claim-at-once.js';
import { type Clause, passed } from '../clause.js';
import { SOURCES } from '../sources.js';

/** How many callers ask at once. */
const CALLERS = 48;

export const oneWinnerAcrossProcesses: Clause = {
  id: 'one-winner-across-processes',
  level: 'concurrency',
  sentence: 'Of many callers at once in several processes exactly one gets a free key.',
  source: SOURCES.acquire,
  needs: 'processes',
  isBusy: true,
  async run(trial) {
    const [here] = trial.setting.endpoints;
    const endpoints = here ? [here, ...trial.setting.processes] : trial.setting.processes;
    const rounds = await claimAtOnce(trial, endpoints, CALLERS);
    return passed(`${rounds} rounds of ${CALLERS} callers in ${endpoints.length} processes`);
  },
};
