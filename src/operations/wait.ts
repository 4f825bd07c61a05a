import { Deadline } from '../lease/deadline.js';
import { InvalidKeyError } from '../lease/errors.js';
import { escapeText } from '../lease/text.js';
import { type WaitCondition, waitForLease } from '../lease/wait.js';
import { takeTurn, waitedSource } from './acquire-waiting.js';
import { type OperationContext, outcomeOf } from './context.js';
import type { KeyOutcome } from './outcome.js';
import { type KeyRequest, type ResolvedKey, resolveKeyToRead } from './resolve-key.js';
import { ThreadIndex } from './thread-index.js';

/** What waiting needs to know. */
export interface WaitRequest {
  readonly targets: readonly KeyRequest[];
  readonly condition: WaitCondition;
  /** Milliseconds after which it gives up; 0 looks once. */
  readonly timeoutMs: number;
}

/** How the waiting ended, and what was seen last of each key: `held` or `free`. */
export interface WaitOutcome {
  readonly met: boolean;
  readonly condition: WaitCondition;
  readonly waitedMs: number;
  readonly keys: readonly KeyOutcome[];
}

/**
 * Waits until every key is as wanted, or the time is up. Not being able to tell at the end is an error.
 *
 * @throws `ERR_LEASE_INVALID_KEY` for a thread without a resource that nobody holds, unless it is to be free: under which
 *   key it would be held is not known.
 */
export async function wait(
  context: OperationContext,
  { targets, condition, timeoutMs }: WaitRequest,
): Promise<WaitOutcome> {
  const { backend, clock, signal } = context;
  const startedMs = clock.monotonicMs();
  const deadline = Deadline.after(timeoutMs, clock);
  const { resolved } = await takeTurn(context, { waitMs: timeoutMs, signal }, async () => {
    const index = new ThreadIndex(context);
    const found = await Promise.all(
      targets.map(async (target) => ({ target, ...(await resolveKeyToRead(context, target, index)) })),
    );
    return { isTaken: true, resolved: found };
  });
  if (condition.until !== 'free') for (const found of resolved) assertKnown(found.target, found);
  const keys = resolved.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const { met, seen } = await waitForLease(waitedSource(backend), keys, condition, {
    timeoutMs: timeoutMs === 0 ? 0 : Math.max(1, Math.ceil(deadline.remainingMs())),
    signal,
    clock,
  });
  return {
    met,
    condition,
    waitedMs: Math.round(clock.monotonicMs() - startedMs),
    keys: resolved.map(({ notes, ...found }) => {
      if (found.key === undefined)
        return outcomeOf(context, 'owner', 'free', { thread: found.thread, notes });
      const lease = seen.get(found.key);
      return lease
        ? outcomeOf(context, 'owner', 'held', { key: found.key, lease, notes })
        : outcomeOf(context, 'owner', 'free', { key: found.key, notes });
    }),
  };
}

/** A thread that nobody holds has no key to wait at: `thread:abc` itself is a key that the runtime never uses. */
function assertKnown(target: KeyRequest, found: ResolvedKey): void {
  if (found.key !== undefined) {
    const isAsWritten = target.by === 'key' && target.key === found.key && !target.literal;
    if (found.lease || !isAsWritten || !found.key.startsWith('thread:')) return;
  }
  const thread = found.key === undefined ? found.thread : found.key.slice('thread:'.length);
  throw new InvalidKeyError(
    `Nobody holds a thread with the id ${escapeText(thread)}, so which key to wait at is not known`,
    { remedy: 'give --resource with --thread, or --literal for the key as it is written' },
  );
}
