import type { Clause } from '../clause.js';
import { findingOf, randomRun } from '../linearizability/random-run.js';
import { SOURCES } from '../sources.js';
import { EARLY_TOLERANCE_MS, shortTtlMs } from '../timing.js';
import { together } from '../together.js';
import { hasAtomicTransfers } from '../transfers.js';

/** How many random runs go on at the same time, each on a key of its own. */
const RUNS = 32;
const STEPS = 8;
/** Numbers of runs that the other random runs never have. */
const FIRST_NUMBER = 100_001;

export const linearizableExpiry: Clause = {
  id: 'linearizable-expiry',
  level: 'linearizable',
  sentence: 'The same with leases that end while the clients go on.',
  source: SOURCES.provider,
  async run(trial) {
    const { setting } = trial;
    const { clients, expiryToleranceMs } = setting;
    const ttlMs = shortTtlMs(trial);
    const hasTransfers = hasAtomicTransfers(setting);
    const runs = await together(
      Array.from({ length: RUNS }, (_, index) => {
        const keys = [trial.key()];
        return randomRun(trial, {
          number: FIRST_NUMBER + index,
          program: { clients, keys, steps: STEPS, ttlMs, restMs: ttlMs, hasTransfers },
          expiry: { earlyMs: EARLY_TOLERANCE_MS, lateMs: expiryToleranceMs },
        });
      }),
    );
    const calls = runs.reduce((sum, run) => sum + run.calls, 0);
    return findingOf(
      trial,
      runs,
      `${RUNS} runs, ${calls} calls, leases of ${ttlMs} ms, seed ${setting.seed}`,
    );
  },
};
