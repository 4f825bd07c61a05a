import { CallFailure } from './call-failure.js';
import { type Finding, Violation } from './clause.js';
import { makeEvidence } from './evidence.js';
import { assertAlive } from './plain-calls.js';
import type { ClauseReport, Evidence } from './report.js';
import type { Trial } from './trial.js';
import { isOfTheBackend } from './untestable.js';

/** What trying a clause came to. */
export type Outcome = Pick<ClauseReport, 'result' | 'note' | 'evidence'>;

export function outcomeOf({ result, note, expected, calls }: Finding, trial: Trial): Outcome {
  return {
    result,
    ...(note !== undefined && { note }),
    ...(expected !== undefined && { evidence: evidenceOf(expected, calls, trial) }),
  };
}

/**
 * What was thrown while a clause was tried: a violation, or a call that failed where the contract has an answer.
 *
 * @throws what says nothing of the contract, such as a LeaseError of a backend that is gone
 */
export async function outcomeOfThrown(error: unknown, trial: Trial): Promise<Outcome> {
  if (error instanceof Violation) {
    const { expected, calls, note = `expected ${expected}` } = error;
    return { result: 'failed', note, evidence: evidenceOf(expected, calls, trial) };
  }
  if (!(error instanceof CallFailure)) throw error;
  const { call } = error;
  if (isOfTheBackend(call.error)) throw call.error;
  // Still there for others? Then it is this call that the provider does not answer.
  const { endpoints, scratch } = trial.setting;
  const [endpoint] = endpoints;
  if (endpoint) await assertAlive(endpoint, scratch);
  const calls = trial.calls.includes(call) ? undefined : [call];
  return {
    result: 'failed',
    note: `${call.method} threw: ${error.message}`,
    evidence: evidenceOf(`${call.method} to answer, and not to throw`, calls, trial),
  };
}

function evidenceOf(expected: string, calls: Finding['calls'], trial: Trial): Evidence {
  const { scratch, startMs } = trial.setting;
  return makeEvidence(expected, calls ?? trial.calls, { scratch, runStartMs: startMs });
}
