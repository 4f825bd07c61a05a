import { parseKey } from '../../lease/key.js';
import type { OperationContext } from '../context.js';
import { type KeyRequest, type ResolvedKey, resolveKeyToRead } from '../resolve-key.js';
import type { ThreadIndex } from '../thread-index.js';
import { THREAD_FORM } from '../watch-target.js';

/** What to inspect: a key as every read takes it, or a word that is a key or else a thread's id. */
export type InspectTarget = KeyRequest | { readonly by: 'word'; readonly word: string };

/**
 * Finds the key. One that the target names outright costs nothing to find. A thread that is named by its id alone has no
 * key when nobody holds one: `thread:abc` itself is none of the runtime's, and says nothing about the thread.
 *
 * @throws `ERR_LEASE_AMBIGUOUS_KEY` when several held threads have the id.
 */
export async function resolveInspected(
  context: OperationContext,
  target: InspectTarget,
  index: ThreadIndex,
): Promise<ResolvedKey> {
  if (target.by === 'thread') return resolveKeyToRead(context, target, index);
  if (target.by === 'word') {
    const { word } = target;
    if (await context.backend.readLease(word)) return { key: word, notes: [] };
    return resolveKeyToRead(context, { by: 'thread', thread: word }, index);
  }
  const { key, literal = false } = target;
  const parts = parseKey(key);
  if (parts.kind === 'thread') return resolveKeyToRead(context, { by: 'thread', ...parts }, index);
  if (literal || !key.startsWith(THREAD_FORM)) return { key, notes: [] };
  const resolved = await resolveKeyToRead(context, target, index);
  if (resolved.key !== key || resolved.lease) return resolved;
  return { key: undefined, thread: key.slice(THREAD_FORM.length), notes: resolved.notes };
}
