import { isLeaseError } from '../lease/errors.js';
import type { LeaseReport, SeenLease } from '../lease/inspector.js';
import type { OperationContext } from './context.js';
import { loggedWrite, type WriteIntent } from './write-log.js';

/** A write's report, and whether it is the write's own or what was seen afterwards. */
export type SettledReport = LeaseReport & { readonly readBack?: true };

/** The state that a write was to bring about. */
export type WantedState =
  | { readonly owner: string; readonly ttlMs: number }
  /** The key is no longer held by this owner. */
  | { readonly notOwner: string };

/** A write to be sent. */
export interface PlannedWrite extends Omit<WriteIntent, 'wanted'> {
  readonly wanted: WantedState;
  readonly send: () => Promise<LeaseReport>;
}

/**
 * Sends a write and has it logged. When its answer is lost, the lease is read back once: that can settle that the wanted
 * state is there, never that the write did not happen, since it may still arrive. Unsettled, the error stands.
 */
export async function settleWrite(context: OperationContext, write: PlannedWrite): Promise<SettledReport> {
  const { verb, key, before, wanted } = write;
  const holder = 'notOwner' in wanted ? null : { owner: wanted.owner, remainingMs: wanted.ttlMs };
  return loggedWrite(context.writeLog, { verb, key, before, wanted: holder }, () => settled(context, write));
}

async function settled(
  { backend, clock }: OperationContext,
  { key, wanted, send }: PlannedWrite,
): Promise<SettledReport> {
  const startedMs = clock.monotonicMs();
  try {
    return await send();
  } catch (error) {
    if (!isLeaseError(error) || error.code !== 'ERR_LEASE_OUTCOME_UNKNOWN') throw error;
    let lease: SeenLease | undefined;
    try {
      lease = await backend.readLease(key);
    } catch {
      throw error;
    }
    if (!isReached(wanted, lease, clock.monotonicMs() - startedMs)) throw error;
    return {
      done: true,
      ...(lease && { holder: lease.owner, remainingMs: lease.remainingMs }),
      readBack: true,
    };
  }
}

/** Whether the lease is as a write made since `elapsedMs` ago leaves it: a TTL given before would have run further down. */
function isReached(wanted: WantedState, lease: SeenLease | undefined, elapsedMs: number): boolean {
  if ('notOwner' in wanted) return lease?.owner !== wanted.notOwner;
  if (lease?.owner !== wanted.owner || typeof lease.remainingMs !== 'number') return false;
  return lease.remainingMs <= wanted.ttlMs && lease.remainingMs >= wanted.ttlMs - elapsedMs - 1;
}
