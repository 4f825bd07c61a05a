import type { Backend } from '../lease/backend.js';
import type { Clock } from '../lease/clock.js';
import type { KeyOutcome, KeyVerb, Note, OutcomeStatus } from './outcome.js';
import type { WriteLog } from './write-log.js';

/** What an operation works with. */
export interface OperationContext {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Is told of every write but the renewals of a lease that is held. */
  readonly writeLog?: WriteLog | undefined;
}

/** The parts of an outcome that a verb decides; the rest is the same for all. */
export type OutcomeParts = Omit<KeyOutcome, 'verb' | 'status' | 'atMs' | 'source' | 'notes'> & {
  readonly notes?: readonly Note[];
};

/** Puts an outcome together, with the moment and the source of the answer. */
export function outcomeOf(
  { backend, clock }: OperationContext,
  verb: KeyVerb,
  status: OutcomeStatus,
  { notes = [], ...parts }: OutcomeParts,
): KeyOutcome {
  return { verb, status, ...parts, notes, atMs: clock.wallMs(), source: backend.source() };
}
