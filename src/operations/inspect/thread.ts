import type { Backend } from '../../lease/backend.js';
import { type Clock, systemClock } from '../../lease/clock.js';
import { isLeaseInspector, isThreadEvidence } from '../../lease/detect.js';
import type { LeaseError } from '../../lease/errors.js';
import type { SeenLease } from '../../lease/inspector.js';
import { assertKey, type ThreadIds, threadKey } from '../../lease/key.js';
import type { NextStep } from '../../lease/next-steps.js';
import type { LeaseProvider } from '../../lease/provider.js';
import { DEFAULT_TTL_MS } from '../../lease/ttl.js';
import { DEFAULT_THRESHOLDS, type Judgement, type VerdictFacts } from '../../lease/verdict.js';
import { type InspectContext, type Inspection, inspect, inspectContext } from './inspect.js';
import { observe } from './observe.js';
import type { RelatedLease } from './related.js';

/** Options of {@link inspectThread}. */
export interface InspectThreadOptions {
  /** The lease time that the runtime is taken to use, in milliseconds. Default 15000, as the runtime's. */
  readonly ttlMs?: number | undefined;
  /** A held thread without an event for so many milliseconds is silent. Default 60000. */
  readonly silentAfterMs?: number | undefined;
  /** An event younger than so many milliseconds is fresh. Default 30000. */
  readonly freshWithinMs?: number | undefined;
  /** Watches for renewals for so many milliseconds, and looks again. Default 0: one look. */
  readonly observeMs?: number | undefined;
  /** Ends it; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** What is known of a key: a verdict with what it rests on, and what to do. No text of a message is in it. */
export interface ThreadInspection extends Judgement {
  readonly key: string;
  /** What was seen: the lease, its renewals, the thread's events. */
  readonly facts: VerdictFacts;
  /** What to do, first things first; nothing where all is well. */
  readonly next: readonly NextStep[];
  /** Held leases that have to do with it: of the thread's claim, and of the runs that work on it. */
  readonly related: readonly RelatedLease[];
  /** Why the thread's events could not be read where the provider can read events. */
  readonly evidenceError?: LeaseError;
  /** Why its renewals could not be watched. */
  readonly watchError?: LeaseError;
  /** The moment of the reading on this host's clock, milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * Tells what is the matter with a thread: who holds its lease, whether that lives and works, and what to do. Only reads.
 * It sees as much as the provider can show: `readLease` the time left, `readThread` the events, `listLeases` what else the
 * runs hold; with the contract alone, the owner.
 *
 * @throws what reading the lease fails with, such as `ERR_LEASE_UNREACHABLE`: not knowing is no verdict. That the events
 *   cannot be read is none: `facts.evidence` and `evidenceError` say so.
 *
 * @example
 * ```ts
 * import { inspectThread } from 'mastra-lease';
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 *
 * const provider = new RedisLeaseProvider({ url: 'redis://127.0.0.1:6379/0' });
 * const { verdict, next } = await inspectThread(provider, { resource: 'user-42', thread: 't-1' });
 * verdict; // => 'unseen'
 * next.map(({ kind }) => kind); // => ['check-prefix']
 * await provider.close();
 * ```
 */
export async function inspectThread(
  provider: LeaseProvider,
  key: string | ThreadIds,
  options: InspectThreadOptions = {},
): Promise<ThreadInspection> {
  const { observeMs = 0, signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const context = contextOf(provider, { ...options, signal });
  const written = assertKey(typeof key === 'string' ? key : threadKey(key));
  let seen: Inspection | undefined;
  for await (const inspected of inspect(context, { by: 'key', key: written, literal: true })) {
    if (inspected.key !== undefined) seen = inspected;
  }
  if (!seen) throw new Error('The inspection saw nothing');
  signal.throwIfAborted();
  if (observeMs > 0) {
    for await (const [watched] of observe(context, [seen], {
      forMs: observeMs,
      untilRenewed: false,
      signal,
    })) {
      if (watched) seen = watched;
    }
    signal.throwIfAborted();
  }
  const { facts, judgement, steps, related, evidenceError, watchError, atMs } = seen;
  return {
    ...judgement,
    key: written,
    facts,
    next: steps,
    related: related.leases,
    ...(evidenceError && { evidenceError }),
    ...(watchError && { watchError }),
    atMs,
  };
}

function contextOf(
  provider: LeaseProvider,
  { ttlMs, silentAfterMs, freshWithinMs, signal, clock = systemClock }: InspectThreadOptions,
): InspectContext {
  const thresholds = {
    silentAfterMs: silentAfterMs ?? DEFAULT_THRESHOLDS.silentAfterMs,
    freshWithinMs: freshWithinMs ?? DEFAULT_THRESHOLDS.freshWithinMs,
  };
  const context = { backend: backendOf(provider), clock, signal };
  return inspectContext(context, { ttlMs: ttlMs ?? DEFAULT_TTL_MS, thresholds });
}

function backendOf(provider: LeaseProvider): Backend {
  const inspector = isLeaseInspector(provider) ? provider : undefined;
  const readOwner = async (key: string): Promise<SeenLease | undefined> => {
    const owner = await provider.getLeaseOwner(key);
    return owner === undefined ? undefined : { key, owner };
  };
  return {
    provider,
    ...(inspector && { inspector }),
    ...(isThreadEvidence(provider) && { evidence: provider }),
    readLease: inspector ? (key) => inspector.readLease(key) : readOwner,
    source: () => ({ backend: provider.constructor.name, foundBy: 'the caller' }),
    close: async () => {},
  };
}
