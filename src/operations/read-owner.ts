import { type OperationContext, outcomeOf } from './context.js';
import { freeNotes } from './free-notes.js';
import type { KeyOutcome } from './outcome.js';
import { type KeyRequest, resolveKeyToRead } from './resolve-key.js';
import type { ThreadIndex } from './thread-index.js';

/** Reads who holds a key. Only reads: `held` or `free`; not being able to tell is an error. */
export async function readOwner(
  context: OperationContext,
  request: KeyRequest,
  index: ThreadIndex,
): Promise<KeyOutcome> {
  const resolved = await resolveKeyToRead(context, request, index);
  const { backend } = context;
  const notes = [...resolved.notes, ...freeNotes(backend)];
  if (resolved.key === undefined)
    return outcomeOf(context, 'owner', 'free', { thread: resolved.thread, notes });
  const { key } = resolved;
  const lease = resolved.lease ?? (request.by === 'thread' ? await backend.readLease(key) : undefined);
  return lease
    ? outcomeOf(context, 'owner', 'held', { key, lease, notes: resolved.notes })
    : outcomeOf(context, 'owner', 'free', { key, notes });
}
