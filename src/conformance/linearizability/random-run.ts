import type { RecordedCall } from '../call.js';
import { type Finding, passed, reported, Violation } from '../clause.js';
import { seededRandom } from '../random.js';
import { together } from '../together.js';
import type { Trial } from '../trial.js';
import { makeProgram, type ProgramOptions } from './program.js';
import type { ExpiryBounds, RegisterModel } from './register.js';
import { isLinearizable } from './search.js';
import { shrink } from './shrink.js';

/** One random run: what its clients do, and how its history is judged. */
export interface RandomRun {
  /** Together with the seed it decides what the clients do. */
  readonly number: number;
  readonly program: ProgramOptions;
  /** Where leases end while the clients go on. */
  readonly expiry?: ExpiryBounds;
}

/** A random run, made and judged. */
export interface RandomRunResult {
  readonly calls: number;
  /** It took so long that its leases may have ended: its history says nothing. */
  readonly isVoid: boolean;
  /** A history that adds up only if refusals are made in several steps. */
  readonly inSteps: Contradiction | undefined;
}

/** Calls on one key that no lease register can have answered. */
interface Contradiction {
  readonly expected: string;
  readonly note: string;
  readonly calls: readonly RecordedCall[];
}

/**
 * Lets random clients loose, over all instances and processes, and checks the history of each key.
 *
 * @throws {@link Violation} with a history that no lease register can have had, even if it refuses in several steps
 */
export async function randomRun(
  trial: Trial,
  { number, program, expiry }: RandomRun,
): Promise<RandomRunResult> {
  const { seed, endpoints, scratch } = trial.setting;
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
  const isVoid = !expiry && spanOf(history) > program.ttlMs / 2;
  if (isVoid) return { calls: history.length, isVoid, inSteps: undefined };
  let inSteps: Contradiction | undefined;
  for (const [key, calls] of Map.groupBy(history, ({ args }) => args[0])) {
    const strict: RegisterModel = { expiry };
    const loose: RegisterModel = { expiry, refusals: 'in steps' };
    const contradiction = (model: RegisterModel): Contradiction => ({
      expected: `an order of these calls in which every answer is right, whatever the other calls on the key ${expiry ? 'and the ends of leases ' : ''}did: there is none`,
      note: `run ${number} of seed ${seed}, key ${String(key).replace(scratch, '~')}`,
      calls: shrink(calls, model),
    });
    if (isLinearizable(calls, strict)) continue;
    if (!isLinearizable(calls, loose)) {
      const { expected, ...shown } = contradiction(loose);
      throw new Violation(expected, shown);
    }
    inSteps ??= contradiction(strict);
  }
  return { calls: history.length, isVoid, inSteps };
}

/** What several runs come to. That refusals are made in several steps is told once, by the clause that shows it. */
export function findingOf(trial: Trial, runs: readonly RandomRunResult[], note: string): Finding {
  const { inSteps } = runs.find((run) => run.inSteps) ?? {};
  if (!inSteps) return passed(note);
  const { refusesInSteps, requirements } = trial.setting;
  const isTold = refusesInSteps && !requirements.has('atomic-refusal');
  if (isTold) return passed(`${note}, refusals in several steps`);
  return reported(trial, 'atomic-refusal', {
    ...inSteps,
    note: `refusals are made in several steps: ${inSteps.note}`,
  });
}

function spanOf(history: readonly RecordedCall[]): number {
  const first = Math.min(...history.map(({ startMs }) => startMs));
  return Math.max(...history.map(({ endMs }) => endMs)) - first;
}
