import type { ThreadActivity, ThreadEvent } from './evidence.js';
import type { SeenLease } from './inspector.js';
import { parseKey } from './key.js';
import type { LinkPlaceholder } from './link.js';
import { parseOwner } from './owner.js';

/** What was seen of a key, as far as what follows asks for it. */
interface KeyFacts {
  readonly key: string;
  readonly lease?: SeenLease;
  readonly activity?: ThreadActivity;
}

/** The run that holds a lease: the owner itself, or what a longer form of it names. */
export function runOfOwner({ owner }: Pick<SeenLease, 'owner'>): string {
  const parts = parseOwner(owner);
  return parts.kind === 'thread-owner' ? parts.runId : owner;
}

/** The process that holds the lease, as far as its owner or its events tell; of a free key the one that was last at work. */
export function processOf({ lease, activity }: KeyFacts): string | undefined {
  const owner = lease && parseOwner(lease.owner);
  if (owner?.kind === 'thread-owner') return owner.process;
  const runs = activity?.runs ?? [];
  const run = lease ? runs.find(({ runId }) => runId === lease.owner) : runs.at(-1);
  return run?.process;
}

export function lastEvent({ activity }: KeyFacts): ThreadEvent | undefined {
  return activity?.events.at(-1);
}

/** Milliseconds since the last event, whoever published it. */
export function lastEventAgeMs(facts: KeyFacts): number | undefined {
  const { activity } = facts;
  const last = lastEvent(facts);
  return activity && last && Math.max(0, activity.nowMs - last.atMs);
}

/** Milliseconds since the last event of a run: messages that others send it are no sign of it. */
export function quietMs({ activity }: KeyFacts): number | undefined {
  if (!activity || activity.runs.length === 0) return undefined;
  const lastAtMs = Math.max(...activity.runs.map(({ lastEventAtMs }) => lastEventAtMs));
  return Math.max(0, activity.nowMs - lastAtMs);
}

/** What a link about a key may name. */
export function linkValues(facts: KeyFacts): Partial<Record<LinkPlaceholder, string>> {
  const { key, lease, activity } = facts;
  const parts = parseKey(key);
  const unfinished = activity?.runs.findLast(({ state }) => state !== 'ended');
  const run = lease ? runOfOwner(lease) : unfinished?.runId;
  const process = processOf(facts);
  return {
    ...(lease && { owner: lease.owner }),
    ...(run !== undefined && { run }),
    ...('thread' in parts && { thread: parts.thread }),
    ...('resource' in parts && { resource: parts.resource }),
    ...(process !== undefined && { process }),
  };
}
