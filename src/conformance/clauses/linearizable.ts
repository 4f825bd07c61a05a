import { type Clause, notShown, passed } from '../clause.js';
import { randomRun } from '../linearizability/random-run.js';
import { Rounds } from '../rounds.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';
import { hasAtomicTransfers } from '../transfers.js';

/** How many random runs fit into a few seconds, or are enough. */
const LIMITS = { atLeast: 3, atMost: 40, withinMs: 2_500 };
const KEYS = 2;
const STEPS = 16;

export const linearizable: Clause = {
  id: 'linearizable',
  level: 'linearizable',
  sentence:
    'Whatever several clients do at once, the answers are those of one lease a key, changed one call at a time.',
  source: SOURCES.provider,
  isAlone: true,
  async run(trial) {
    const { setting } = trial;
    const { runs, clients, endpoints } = setting;
    const rounds = new Rounds(
      trial,
      runs === undefined ? LIMITS : { atLeast: runs, atMost: runs, withinMs: 0 },
    );
    const hasTransfers = hasAtomicTransfers(setting);
    let calls = 0;
    while (rounds.next()) {
      const run = await randomRun(trial, {
        number: rounds.done,
        program: {
          clients,
          keys: Array.from({ length: KEYS }, () => trial.key()),
          steps: STEPS,
          ttlMs: LONG_TTL_MS,
          restMs: 0,
          hasTransfers,
        },
      });
      // Leases of a run that took this long may have ended: their histories say nothing.
      if (run.durationMs > LONG_TTL_MS / 2) return notShown('a run took longer than its leases last');
      calls += run.calls;
    }
    const without = hasTransfers ? '' : ', without transfers, which are not atomic';
    return passed(
      `${rounds.done} runs, ${calls} calls of ${clients} clients at ${endpoints.length} places, seed ${setting.seed}${without}`,
    );
  },
};
