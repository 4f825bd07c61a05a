import type { Backend } from '../lease/backend.js';
import { isLeaseError, NotPermittedError } from '../lease/errors.js';
import type { ThreadActivity } from '../lease/evidence.js';
import { parseKey } from '../lease/key.js';

/** The last sign of a thread's run. */
export interface Work {
  readonly ageMs: number;
  /** The kind of event, such as `stream-part`. */
  readonly type: string;
}

/** Enough to find an event of the run among the messages that wait for it. */
const MAX_EVENTS = 200;

/**
 * Looks whether a thread's run is at work: whether it produced an event within `quietForMs`. Messages that others send it
 * tell nothing of that. Only threads have events,
 * and only some backends can read them: where none can be read the answer is no.
 *
 * @throws `ERR_LEASE_NOT_PERMITTED` where there are events that this user may not read.
 */
export async function findWork(
  { evidence }: Pick<Backend, 'evidence'>,
  key: string,
  quietForMs: number,
): Promise<Work | undefined> {
  if (!evidence || parseKey(key).kind !== 'thread') return undefined;
  let activity: ThreadActivity | undefined;
  try {
    activity = await evidence.readThread(key, { maxEvents: MAX_EVENTS });
  } catch (error) {
    if (!isLeaseError(error) || error.code !== 'ERR_LEASE_NOT_PERMITTED') throw error;
    throw new NotPermittedError(`Whether the thread's run is at work cannot be seen: ${error.message}`, {
      remedy: 'allow reading its event stream, or break the lease all the same by --even-if-active',
    });
  }
  const [last] = activity?.runs.toSorted((a, b) => b.lastEventAtMs - a.lastEventAtMs) ?? [];
  if (!activity || !last) return undefined;
  const ageMs = Math.max(0, activity.nowMs - last.lastEventAtMs);
  return ageMs < quietForMs ? { ageMs, type: last.lastEventType } : undefined;
}
