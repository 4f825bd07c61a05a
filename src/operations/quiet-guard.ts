import type { Backend } from '../lease/backend.js';
import { isLeaseError, NotPermittedError } from '../lease/errors.js';
import type { ThreadActivity, ThreadRun } from '../lease/evidence.js';
import { parseKey } from '../lease/key.js';

/** Why a thread's run is not taken to be quiet. */
export type Work =
  /** Its last event is young. */
  | { readonly kind: 'event'; readonly ageMs: number; readonly type: string; readonly isEnded: boolean }
  /** Its stream's newest entry is young, and no event that can be read. */
  | { readonly kind: 'unreadable'; readonly ageMs: number }
  /** No event of a run was found, and the entries that could be read reach back no further. */
  | { readonly kind: 'too-short'; readonly ageMs: number };

/**
 * Looks whether a thread's run is at work: whether it produced something within `quietForMs`. Messages that others send it
 * tell nothing of that. Only threads have events, and only some backends can read them: where there are none at all the
 * answer is no.
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
    activity = await evidence.readThread(key);
  } catch (error) {
    if (!isLeaseError(error) || error.code !== 'ERR_LEASE_NOT_PERMITTED') throw error;
    throw new NotPermittedError(`Whether the thread's run is at work cannot be seen: ${error.message}`, {
      remedy: 'allow reading its event stream, or break the lease all the same by --even-if-active',
    });
  }
  return activity && workOf(activity, quietForMs);
}

function workOf(activity: ThreadActivity, quietForMs: number): Work | undefined {
  const { nowMs, runs, readSinceMs, lastUnreadableAtMs = Number.NEGATIVE_INFINITY } = activity;
  const ageMs = (atMs: number) => Math.max(0, nowMs - atMs);
  const last = runs.reduce<ThreadRun | undefined>(
    (one, run) => (one && one.lastEventAtMs > run.lastEventAtMs ? one : run),
    undefined,
  );
  if (last && ageMs(last.lastEventAtMs) < quietForMs) {
    const isEnded = last.state === 'ended';
    return { kind: 'event', ageMs: ageMs(last.lastEventAtMs), type: last.lastEventType, isEnded };
  }
  if (ageMs(lastUnreadableAtMs) < quietForMs) return { kind: 'unreadable', ageMs: ageMs(lastUnreadableAtMs) };
  if (readSinceMs === undefined || ageMs(readSinceMs) >= quietForMs) return undefined;
  return { kind: 'too-short', ageMs: ageMs(readSinceMs) };
}
