import { escapeText } from '../lease/text.js';
import type { OperationContext } from './context.js';
import type { KeyOutcome } from './outcome.js';
import { readOwner } from './read-owner.js';
import type { KeyRequest } from './resolve-key.js';
import { ThreadIndex } from './thread-index.js';
import type { WatchFilter } from './watch-filter.js';

/** What a watch was asked for. */
export type WatchTarget =
  | { readonly by: 'all' }
  | { readonly by: 'pattern'; readonly pattern: string }
  | { readonly by: 'keys'; readonly requests: readonly KeyRequest[] }
  /** One word without `*` and `?`: the key, or when nobody holds that, a pattern. */
  | { readonly by: 'word'; readonly key: string };

/** What is to be watched, and what was read to find that out. */
export interface ResolvedTarget {
  readonly keys?: readonly string[];
  readonly filter: WatchFilter;
  readonly outcomes: readonly KeyOutcome[];
}

/** How a thread is named by its id alone. */
export const THREAD_FORM = 'thread:';

/**
 * Finds what to watch. A thread that is named by its id alone is the one held thread with that id, as for every read;
 * while nobody holds one, whichever comes.
 *
 * @throws `ERR_LEASE_AMBIGUOUS_KEY` when several held threads have the id.
 */
export async function resolveWatchTarget(
  context: OperationContext,
  target: WatchTarget,
): Promise<ResolvedTarget> {
  switch (target.by) {
    case 'all':
      return { filter: {}, outcomes: [] };
    case 'pattern':
      return { filter: { pattern: target.pattern }, outcomes: [] };
    case 'word':
      return resolveWord(context, target.key);
    case 'keys':
      return resolveKeys(context, target.requests);
  }
}

async function resolveWord(context: OperationContext, key: string): Promise<ResolvedTarget> {
  const { inspector } = context.backend;
  const isThread = key.startsWith(THREAD_FORM);
  // A provider that only names owners has no patterns, so there is nothing to find out.
  if (!inspector && !isThread) return { keys: [key], filter: {}, outcomes: [] };
  const outcome = await readOwner(context, { by: 'key', key }, new ThreadIndex(context));
  if (outcome.status === 'held' && outcome.key !== undefined) {
    return { keys: [outcome.key], filter: {}, outcomes: [outcome] };
  }
  const filter = isThread ? { thread: key.slice(THREAD_FORM.length) } : { pattern: escapeText(key) };
  return { filter, outcomes: [outcome] };
}

async function resolveKeys(
  context: OperationContext,
  requests: readonly KeyRequest[],
): Promise<ResolvedTarget> {
  const index = new ThreadIndex(context);
  const keys: string[] = [];
  const outcomes: KeyOutcome[] = [];
  for (const request of requests) {
    if (request.by === 'key' && (request.literal || !request.key.startsWith(THREAD_FORM))) {
      keys.push(request.key);
      continue;
    }
    const outcome = await readOwner(context, request, index);
    outcomes.push(outcome);
    if (outcome.key !== undefined) keys.push(outcome.key);
    // Alone: an id without a resource is never one of several.
    else return { filter: { thread: outcome.thread }, outcomes };
  }
  return { keys, filter: {}, outcomes };
}
