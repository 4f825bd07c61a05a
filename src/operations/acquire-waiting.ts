import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from '../lease/deadline.js';
import { isLeaseWatcher } from '../lease/detect.js';
import { isLeaseError, type LeaseErrorCode } from '../lease/errors.js';
import { NoLookError, type WaitedSource, waitForLease } from '../lease/wait.js';
import type { OperationContext } from './context.js';

/** What one try to get a key came to. */
export interface Attempt {
  readonly isTaken: boolean;
  /** The key to wait for; absent when no key is known to be another's. */
  readonly waitFor?: string | undefined;
}

/** How long to wait for one's turn. */
export interface TurnOptions<Result extends Attempt> {
  /** Milliseconds; 0 tries once. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told of each try by which the key was another's and is waited for. */
  readonly onWaiting?: ((result: Result) => void) | undefined;
}

/** What may be over by the next try. */
const PASSING: readonly LeaseErrorCode[] = [
  'ERR_LEASE_UNREACHABLE',
  'ERR_LEASE_UNVERIFIED',
  'ERR_LEASE_INCOMPLETE',
  // Claiming again as the same owner comes to the same, whether the first claim arrived or not.
  'ERR_LEASE_OUTCOME_UNKNOWN',
];
/** The pause after a try that failed, in milliseconds, half of it by chance. */
const PAUSE_MS = 500;

/**
 * Tries until the key is ours or the time is up; in between it waits until the key is free. Nobody's turn is before
 * another's: whoever asks first when the key is free has it.
 *
 * @throws what the last try or look failed with, or an earlier one whose outcome is still unknown; the signal's reason
 *   when it is aborted.
 */
export async function takeTurn<Result extends Attempt>(
  { backend, clock }: OperationContext,
  { waitMs, signal, onWaiting }: TurnOptions<Result>,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const deadline = Deadline.after(waitMs, clock);
  let unsettled: Error | undefined;
  let refused: Result | undefined;
  for (;;) {
    try {
      const result = await attempt();
      unsettled = undefined;
      const timeoutMs = deadline.remainingMs();
      if (result.isTaken || result.waitFor === undefined || timeoutMs === 0) return result;
      refused = result;
      onWaiting?.(result);
      const options = { timeoutMs: Math.ceil(timeoutMs), signal, clock };
      await waitForLease(waitedSource(backend), [result.waitFor], { until: 'free' }, options);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isLeaseError(error) || !PASSING.includes(error.code)) throw error;
      if (error.code === 'ERR_LEASE_OUTCOME_UNKNOWN') unsettled = error;
      const leftMs = deadline.remainingMs();
      // Whose it was is all there was time to see.
      if (leftMs === 0 && refused && !unsettled && error instanceof NoLookError) return refused;
      if (leftMs === 0) throw unsettled ?? error;
      await pause(Math.min(leftMs, (PAUSE_MS * (1 + Math.random())) / 2), signal);
    }
  }
}

/** What tells of changes where the backend has such a thing, and else reads. */
export function waitedSource(backend: OperationContext['backend']): WaitedSource {
  const { inspector } = backend;
  const readLease: WaitedSource['readLease'] = (key) => backend.readLease(key);
  if (!isLeaseWatcher(inspector)) return { readLease };
  return { readLease, watchLeases: (options) => inspector.watchLeases(options) };
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  signal?.throwIfAborted();
}
