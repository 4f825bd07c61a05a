import type { RecordedCall } from '../call.js';
import { Violation } from '../clause.js';
import { seededRandom } from '../random.js';
import { together } from '../together.js';
import type { Trial } from '../trial.js';
import { makeProgram, type ProgramOptions } from './program.js';
import { type ExpiryBounds, isLinearizable } from './search.js';
import { shrink } from './shrink.js';

/** One random run: what its clients do, and how its history is judged. */
export interface RandomRun {
  /** Together with the seed it decides what the clients do. */
  readonly number: number;
  readonly program: ProgramOptions;
  readonly bounds?: ExpiryBounds;
}

/**
 * Lets random clients loose, over all instances and processes, and checks the history of each key.
 *
 * @returns how many calls there were, and how long all took in milliseconds
 * @throws {@link Violation} with the history that no lease register can have had
 */
export async function randomRun(
  trial: Trial,
  { number, program, bounds }: RandomRun,
): Promise<{ readonly calls: number; readonly durationMs: number }> {
  const { seed, endpoints } = trial.setting;
  const plans = makeProgram(seededRandom(seed, number), program);
  const histories = await together(
    endpoints.map((endpoint, place) =>
      trial.run(
        endpoint,
        plans.filter((_, index) => index % endpoints.length === place),
      ),
    ),
  );
  const history = histories.flat();
  for (const [key, calls] of Map.groupBy(history, ({ args }) => args[0])) {
    if (isLinearizable(calls, bounds)) continue;
    throw new Violation(
      `an order of these calls on one key in which every answer is right${bounds ? ', ends of leases included' : ''}: there is none`,
      {
        calls: shrink(calls, bounds),
        note: `run ${number} of seed ${seed}, key ${String(key).replace(trial.setting.scratch, '~')}`,
      },
    );
  }
  return { calls: history.length, durationMs: spanOf(history) };
}

function spanOf(history: readonly RecordedCall[]): number {
  const first = Math.min(...history.map(({ startMs }) => startMs));
  return Math.max(...history.map(({ endMs }) => endMs)) - first;
}
