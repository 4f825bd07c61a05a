import { isLeaseError, type LeaseError } from '../../lease/errors.js';
import { parseKey } from '../../lease/key.js';
import type { VerdictFacts } from '../../lease/verdict.js';
import type { OperationContext } from '../context.js';

/** What a key's event stream says, or why it says nothing. */
export interface EvidenceReading extends Pick<VerdictFacts, 'evidence' | 'activity'> {
  /** Why it cannot be read where it could be. */
  readonly error?: LeaseError;
}

/** Reads what a thread's runs did; only threads have events. A failure is told, not thrown: the lease says something by itself. */
export async function readEvidence(
  { backend, signal }: OperationContext,
  key: string,
  maxEvents?: number,
): Promise<EvidenceReading> {
  if (parseKey(key).kind !== 'thread') return { evidence: 'no-stream' };
  if (!backend.evidence) return { evidence: 'unavailable' };
  try {
    const activity = await backend.evidence.readThread(key, { signal, maxEvents });
    return activity ? { evidence: 'read', activity } : { evidence: 'no-stream' };
  } catch (error) {
    if (!isLeaseError(error)) throw error;
    return { evidence: 'unavailable', error };
  }
}
