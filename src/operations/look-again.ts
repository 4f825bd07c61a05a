import { isLeaseError } from '../lease/errors.js';
import type { OperationContext } from './context.js';
import type { KeyOutcome, OutcomeStatus } from './outcome.js';

const TAKEN: readonly OutcomeStatus[] = ['released', 'transferred'];

/**
 * Looks once more at each key that was taken from an owner, after a time in which a live one renews. Outcomes of which
 * nothing was taken stay as they are.
 */
export async function lookAgain(
  { backend }: OperationContext,
  outcomes: readonly KeyOutcome[],
  { afterMs, pause }: { readonly afterMs: number; readonly pause: (ms: number) => Promise<void> },
): Promise<readonly KeyOutcome[]> {
  if (!outcomes.some(isTaken)) return outcomes;
  await pause(afterMs);
  return Promise.all(outcomes.map((outcome) => (isTaken(outcome) ? look(outcome) : outcome)));

  async function look(outcome: KeyOutcome & { readonly key: string }): Promise<KeyOutcome> {
    try {
      const lease = await backend.readLease(outcome.key);
      const isBack = lease !== undefined && lease.owner === outcome.previousOwner;
      return { ...outcome, later: { afterMs, ...(lease && { lease }), isBack } };
    } catch (error) {
      if (!isLeaseError(error)) throw error;
      return { ...outcome, later: { afterMs, error } };
    }
  }
}

function isTaken(outcome: KeyOutcome): outcome is KeyOutcome & { readonly key: string } {
  return outcome.key !== undefined && !outcome.dryRun && TAKEN.includes(outcome.status);
}
