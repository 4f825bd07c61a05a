import type { Backend } from '../lease/backend.js';
import { isLeaseError, NotPermittedError, UnverifiedError } from '../lease/errors.js';
import type { ThreadActivity, ThreadRun } from '../lease/evidence.js';
import { parseKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';

/** Why a thread's run is not taken to be quiet. */
export type Work =
  /** Its last event is young. */
  | { readonly kind: 'event'; readonly ageMs: number; readonly type: string; readonly isEnded: boolean }
  /** Its stream's newest entry is young, and no event that can be read. */
  | { readonly kind: 'unreadable'; readonly ageMs: number }
  /** No event of a run was found, and the entries that could be read reach back no further. */
  | { readonly kind: 'too-short'; readonly ageMs: number };

/** How quiet a thread's run must be for its lease to be taken. */
export interface Quiet {
  /** It produced nothing for so many milliseconds. */
  readonly forMs: number;
  /** Somebody asked for it: where nothing can be seen of the run, that is no quiet. */
  readonly mustBeSeen: boolean;
}

/** What was seen of a thread's run. */
export interface Sight {
  /** Why it is not taken to be quiet. */
  readonly work?: Work | undefined;
  /** There was nothing to see it by: no event of the thread. */
  readonly isBlind?: true;
}

/**
 * Looks whether a thread's run is at work: whether it produced something within `quiet.forMs`. Messages that others send it
 * tell nothing of that. Only threads have runs, and only some backends their events.
 *
 * @throws `ERR_LEASE_NOT_PERMITTED` where there are events that this user may not read; `ERR_LEASE_UNVERIFIED` where
 * there are none and quiet must be seen.
 */
export async function lookForWork(
  { evidence }: Pick<Backend, 'evidence'>,
  key: string,
  { forMs, mustBeSeen }: Quiet,
): Promise<Sight> {
  if (parseKey(key).kind !== 'thread') return {};
  const unseen = `Whether the run of ${escapeText(key)} is at work cannot be seen`;
  const activity = evidence && (await readActivity(evidence, key, unseen));
  if (activity) return { work: workOf(activity, forMs) };
  if (!mustBeSeen) return { isBlind: true };
  const why = evidence ? 'no event of this thread is here' : 'no events are kept here';
  throw new UnverifiedError(`${unseen}: ${why}`, {
    remedy: 'ask its process, and then without --if-quiet-for',
  });
}

async function readActivity(
  evidence: NonNullable<Backend['evidence']>,
  key: string,
  unseen: string,
): Promise<ThreadActivity | undefined> {
  try {
    return await evidence.readThread(key);
  } catch (error) {
    if (!isLeaseError(error) || error.code !== 'ERR_LEASE_NOT_PERMITTED') throw error;
    throw new NotPermittedError(`${unseen}: ${error.message}`, {
      remedy: 'allow reading its event stream, or break the lease all the same by --even-if-active',
    });
  }
}

function workOf(activity: ThreadActivity, forMs: number): Work | undefined {
  const { nowMs, runs, readSinceMs, lastUnreadableAtMs = Number.NEGATIVE_INFINITY } = activity;
  const ageMs = (atMs: number) => Math.max(0, nowMs - atMs);
  const last = runs.reduce<ThreadRun | undefined>(
    (one, run) => (one && one.lastEventAtMs > run.lastEventAtMs ? one : run),
    undefined,
  );
  if (last && ageMs(last.lastEventAtMs) < forMs) {
    const isEnded = last.state === 'ended';
    return { kind: 'event', ageMs: ageMs(last.lastEventAtMs), type: last.lastEventType, isEnded };
  }
  if (ageMs(lastUnreadableAtMs) < forMs) return { kind: 'unreadable', ageMs: ageMs(lastUnreadableAtMs) };
  if (readSinceMs === undefined || ageMs(readSinceMs) >= forMs) return undefined;
  return { kind: 'too-short', ageMs: ageMs(readSinceMs) };
}
