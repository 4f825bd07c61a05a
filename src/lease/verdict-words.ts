import { formatDuration } from './duration-words.js';
import type { ThreadRun } from './evidence.js';
import type { SeenLease } from './inspector.js';
import type { ProducingRun } from './verdict-facts.js';
import type { VerdictView } from './verdict-view.js';

/** Pieces of the sentences that say why. Names in them are not escaped: whoever prints them does that. */

/** `held by run-7f3c for another 12.4 s`. */
export function heldFor({ owner, remainingMs }: SeenLease): string {
  if (remainingMs === undefined) return `held by ${owner}`;
  const left = remainingMs === null ? 'for ever' : `for another ${formatDuration(remainingMs)}`;
  return `held by ${owner} ${left}`;
}

/** `, renewed every 5.0 s`, where it was seen. */
export function renewed({ facts: { renewals } }: VerdictView): string {
  if (!renewals || renewals.seen === 0) return '';
  return renewals.intervalMs === undefined
    ? ', just renewed'
    : `, renewed every ${formatDuration(renewals.intervalMs)}`;
}

/** `8 min 12 s ago`. */
export function ago(view: VerdictView, atMs: number): string {
  return `${formatDuration(view.ageMs(atMs))} ago`;
}

/** `8 min 12 s ago (stream-part)`: when a run was heard of last, and by what. */
export function lastHeard(view: VerdictView, { lastEventAtMs, lastEventType }: ThreadRun): string {
  return `${ago(view, lastEventAtMs)} (${lastEventType})`;
}

/** `run-7f3c in process 3f2a`. */
export function runIn({ runId, process }: Pick<ProducingRun, 'runId' | 'process'>): string {
  return process === undefined ? runId : `${runId} in process ${process}`;
}

/** `, and an abort asked for 40.2 s ago was not obeyed`. */
export function unheededAbort(view: VerdictView, { abortRequestedAtMs }: ThreadRun): string {
  if (abortRequestedAtMs === undefined) return '';
  return `, and an abort asked for ${ago(view, abortRequestedAtMs)} was not obeyed`;
}

/** `; 2 messages have been waiting for 40.2 s`. */
export function messagesWaiting(view: VerdictView): string {
  const waiting = view.activity?.waiting;
  if (!waiting) return '';
  const messages = waiting.count === 1 ? '1 message has' : `${waiting.count} messages have`;
  return `; ${messages} been waiting for ${formatDuration(view.ageMs(waiting.sinceMs))}`;
}
