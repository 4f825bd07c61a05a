import { AmbiguousKeyError, InvalidKeyError } from '../lease/errors.js';
import type { Lease, SeenLease } from '../lease/inspector.js';
import { isAmbiguousThread, parseKey, threadKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';
import type { OperationContext } from './context.js';
import type { KeyVerb, Note } from './outcome.js';
import type { ThreadIndex } from './thread-index.js';

/** How a key was asked for. */
export type KeyRequest =
  | {
      readonly by: 'key';
      readonly key: string;
      readonly literal?: boolean;
      /** Who held it when it was listed: a release is for that holder alone. */
      readonly owner?: string;
    }
  | { readonly by: 'thread'; readonly thread: string; readonly resource?: string };

/** The key to act on, with the lease where finding it has read that already. */
export type ResolvedKey =
  | { readonly key: string; readonly lease?: SeenLease; readonly notes: readonly Note[] }
  /** A thread that was asked for by its id alone, and that no held lease has. */
  | { readonly key: undefined; readonly thread: string; readonly notes: readonly Note[] };

const THREAD_FORM = 'thread:';

/**
 * Finds the key to read. `thread:abc` is itself first; when nobody holds that, it is the one held thread whose id is
 * `abc`, since the runtime never uses the literal key.
 *
 * @throws `ERR_LEASE_AMBIGUOUS_KEY` when several held threads have the id.
 */
export async function resolveKeyToRead(
  context: OperationContext,
  request: KeyRequest,
  index: ThreadIndex,
): Promise<ResolvedKey> {
  if (request.by === 'thread') return resolveThread(request, index);
  const { key, literal = false } = request;
  const lease = await context.backend.readLease(key);
  if (lease || literal || !key.startsWith(THREAD_FORM)) {
    return { key, ...(lease && { lease }), notes: idNotes(key) };
  }
  const thread = key.slice(THREAD_FORM.length);
  const { matches, leaseCount } = await index.find(thread);
  const [match] = matches;
  if (!match) return { key, notes: leaseCount === 0 ? [{ kind: 'nothing-leased' }] : [] };
  if (matches.length > 1) throw new AmbiguousKeyError(ambiguity(thread, matches), matches);
  return {
    key: match.key,
    lease: match,
    notes: [{ kind: 'found-as-thread', asked: key }, ...idNotes(match.key)],
  };
}

/**
 * Finds the key to write. A write never guesses: `thread:abc` is refused when a held thread has that id.
 *
 * @throws `ERR_LEASE_AMBIGUOUS_KEY` with the threads that may have been meant; `ERR_LEASE_INVALID_KEY` for a thread id
 *   that no held lease has.
 */
export async function resolveKeyToWrite(
  context: OperationContext,
  request: KeyRequest,
  index: ThreadIndex,
  verb: KeyVerb,
): Promise<{ readonly key: string; readonly notes: readonly Note[] }> {
  if (request.by === 'thread') {
    const resolved = await resolveThread(request, index);
    if (resolved.key !== undefined) return resolved;
    throw new InvalidKeyError(
      `No held lease has the thread id ${escapeText(request.thread)}, so its resource is not known`,
      {
        remedy: `to ${verb} a lease that is not held, give --resource as well`,
      },
    );
  }
  const { key, literal = false } = request;
  if (!key.startsWith(THREAD_FORM)) return { key, notes: idNotes(key) };
  const notes: readonly Note[] = [{ kind: 'not-a-runtime-key' }];
  if (literal || (await context.backend.readLease(key))) return { key, notes };
  const thread = key.slice(THREAD_FORM.length);
  const { matches } = await index.find(thread);
  if (matches.length === 0) return { key, notes };
  throw new AmbiguousKeyError(
    `${escapeText(key)} is not held, but the thread ${escapeText(thread)} is: a write does not guess which is meant (--literal: the key as written)`,
    matches,
  );
}

async function resolveThread(
  { thread, resource }: Extract<KeyRequest, { by: 'thread' }>,
  index: ThreadIndex,
): Promise<ResolvedKey> {
  if (resource !== undefined) {
    const key = threadKey({ resource, thread });
    return { key, notes: idNotes(key) };
  }
  const { matches, leaseCount } = await index.find(thread);
  const [match] = matches;
  if (!match) return { key: undefined, thread, notes: leaseCount === 0 ? [{ kind: 'nothing-leased' }] : [] };
  if (matches.length > 1) throw new AmbiguousKeyError(ambiguity(thread, matches), matches);
  return { key: match.key, lease: match, notes: [{ kind: 'found-resource' }, ...idNotes(match.key)] };
}

function ambiguity(thread: string, matches: readonly Lease[]): string {
  return `${matches.length} held threads have the id ${escapeText(thread)}, of different resources`;
}

function idNotes(key: string): readonly Note[] {
  const parts = parseKey(key);
  return parts.kind === 'thread' && isAmbiguousThread(parts) ? [{ kind: 'ambiguous-ids' }] : [];
}
