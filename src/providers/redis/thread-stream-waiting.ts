import type { ThreadActivity, ThreadRun } from '../../lease/evidence.js';
import type { StreamRecord } from './thread-stream-entry.js';

interface Message {
  readonly atMs: number;
  /** An offer to an idle process: taken back at this moment, unless that process has put it behind a run. */
  readonly offerEndsAtMs: number | undefined;
  /** Without an id of its own, nothing tells when it is taken up: the next part of any run counts as that. */
  readonly isNameless: boolean;
}

/**
 * The messages that no run has taken up, the oldest event first. Taken up: shown in a run's stream. Gone: cancelled, or
 * a run that was registered after them has ended well, which takes up whatever waits for it.
 */
export function readWaiting(
  records: readonly StreamRecord[],
  runs: readonly ThreadRun[],
  nowMs: number,
): ThreadActivity['waiting'] {
  const waiting = new Map<string, Message>();
  const registeredAt = new Map<string, number>();
  const drop = (isGone: (message: Message) => boolean) => {
    for (const [id, message] of waiting) if (isGone(message)) waiting.delete(id);
  };
  for (const { id, atMs, type, runId, message, isSuccess } of records) {
    if (type === 'run-registered' && runId !== undefined && !registeredAt.has(runId)) {
      registeredAt.set(runId, atMs);
    }
    if (type === 'stream-part') drop(({ isNameless }) => isNameless);
    if (isSuccess && runId !== undefined) {
      const since = registeredAt.get(runId) ?? Number.NEGATIVE_INFINITY;
      drop((one) => one.atMs <= since);
    }
    switch (message?.kind) {
      case 'enqueued': {
        const name = message.id ?? id;
        const isNameless = message.id === undefined;
        const { offerEndsAtMs } = message;
        if (!waiting.has(name)) waiting.set(name, { atMs, offerEndsAtMs, isNameless });
        break;
      }
      case 'taken-up':
        waiting.delete(message.id);
        break;
      case 'cancelled':
        if (message.ids === 'all') waiting.clear();
        else for (const cancelled of message.ids) waiting.delete(cancelled);
        break;
    }
  }
  const isBehindRun = runs.some(({ state }) => state !== 'ended');
  drop(({ offerEndsAtMs = Number.POSITIVE_INFINITY }) => !isBehindRun && offerEndsAtMs < nowMs);
  const [oldest] = waiting.values();
  return oldest && { count: waiting.size, sinceMs: oldest.atMs };
}
