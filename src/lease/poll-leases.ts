import type { SeenLease } from './inspector.js';
import { LeasePoll, type PolledChange, type PolledSource, type PollOptions } from './lease-poll.js';
import { endsWatch, stalenessOf } from './watch-failure.js';

export type { PolledChange, PolledSource, PollOptions };

/**
 * Watches by looking again and again: a snapshot, then what is different. Between two looks each lease is counted down,
 * and read once at its end. With `keys` each is read by itself, else all leases are listed.
 *
 * A failure is told as `stale`; one that waiting does not mend is thrown, as long as nothing was ever seen.
 *
 * @throws `ERR_LEASE_UNSUPPORTED` without keys on a source that cannot list.
 */
export async function* pollLeases<Seen extends SeenLease>(
  source: PolledSource<Seen>,
  options: PollOptions,
): AsyncGenerator<PolledChange<Seen>, void, undefined> {
  const { signal, why } = options;
  const poll = new LeasePoll(source, options);
  signal.addEventListener('abort', poll.bell.ring);
  let hasBeenLive = false;
  let isLive = false;
  let staleFor: string | undefined;
  try {
    while (!signal.aborted) {
      try {
        const look = await poll.look();
        if (isLive) {
          yield* poll.differences(look);
        } else {
          yield* poll.snapshot(look);
          const { intervalMs, commandsPerSecond } = look;
          yield {
            kind: 'live',
            how: 'polling',
            intervalMs,
            commandsPerSecond,
            ...(why !== undefined && { why }),
          };
          isLive = true;
          hasBeenLive = true;
          staleFor = undefined;
        }
        yield* poll.countDown(look);
      } catch (error) {
        if (signal.aborted) return;
        if (endsWatch(error, hasBeenLive)) throw error;
        const why = stalenessOf(error);
        if (why.reason !== staleFor) yield { kind: 'stale', ...why };
        staleFor = why.reason;
        isLive = false;
        await poll.rest();
      }
    }
  } finally {
    signal.removeEventListener('abort', poll.bell.ring);
    poll.countdown.clear();
  }
}
