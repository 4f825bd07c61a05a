import { type Clause, notShown } from '../clause.js';
import { findingOf, type RandomRunResult, randomRun } from '../linearizability/random-run.js';
import { inRounds } from '../rounds.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';
import { hasAtomicTransfers } from '../transfers.js';

/** How many random runs fit into a few seconds, or are enough. */
const LIMITS = { atLeast: 4, atMost: 200, withinMs: 2_000 };
/** On one key every call meets every other; on several the keys must not touch each other. */
const MOST_KEYS = 2;
const STEPS = 16;

export const linearizable: Clause = {
  id: 'linearizable',
  level: 'linearizable',
  sentence:
    'Whatever several clients do at once, the answers are those of one lease a key, changed one call at a time.',
  source: SOURCES.provider,
  isBusy: true,
  comesAfter: true,
  async run(trial) {
    const { setting } = trial;
    const { runs: wanted, clients, endpoints } = setting;
    const limits = wanted === undefined ? LIMITS : { atLeast: wanted, atMost: wanted, withinMs: 0 };
    const hasTransfers = hasAtomicTransfers(setting);
    const runs: RandomRunResult[] = [];
    await inRounds(trial, limits, async (number) => {
      const keys = Array.from({ length: 1 + (number % MOST_KEYS) }, () => trial.key());
      const program = { clients, keys, steps: STEPS, ttlMs: LONG_TTL_MS, restMs: 0, hasTransfers };
      runs.push(await randomRun(trial, { number, program }));
    });
    if (runs.some(({ isVoid }) => isVoid)) return notShown('a run took longer than its leases last');
    const calls = runs.reduce((sum, run) => sum + run.calls, 0);
    const without = hasTransfers ? '' : ', without transfers, which are not atomic';
    return findingOf(
      trial,
      runs,
      `${runs.length} runs, ${calls} calls of ${clients} clients at ${endpoints.length} places, seed ${setting.seed}${without}`,
    );
  },
};
