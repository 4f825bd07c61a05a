import { type Clause, passed } from '../clause.js';
import { randomRun } from '../linearizability/random-run.js';
import { SOURCES } from '../sources.js';
import { EARLY_TOLERANCE_MS, shortTtlMs } from '../timing.js';
import { together } from '../together.js';
import { hasAtomicTransfers } from '../transfers.js';

/** How many random runs go on at the same time, each on a key of its own. */
const RUNS = 8;
const STEPS = 12;
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
    const ttlMs = shortTtlMs(trial) / 2;
    const runs = await together(
      Array.from({ length: RUNS }, (_, index) =>
        randomRun(trial, {
          number: FIRST_NUMBER + index,
          program: {
            clients,
            keys: [trial.key()],
            steps: STEPS,
            ttlMs,
            restMs: ttlMs * 2,
            hasTransfers: hasAtomicTransfers(setting),
          },
          bounds: { earlyMs: EARLY_TOLERANCE_MS, lateMs: expiryToleranceMs },
        }),
      ),
    );
    const calls = runs.reduce((sum, run) => sum + run.calls, 0);
    return passed(`${RUNS} runs, ${calls} calls, leases of ${ttlMs} ms, seed ${setting.seed}`);
  },
};
