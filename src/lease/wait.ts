import { type Clock, systemClock } from './clock.js';
import { isLeaseWatcher } from './detect.js';
import { UnreachableError } from './errors.js';
import type { LeaseChange, LeaseWatcher, SeenLease } from './inspector.js';
import { type PolledChange, pollLeases } from './poll-leases.js';

/** What is waited for. With several keys it is waited for until every one of them is so at once. */
export type WaitCondition =
  | { readonly until: 'free' }
  | { readonly until: 'held' }
  | { readonly until: 'owner'; readonly owner: string }
  /** Another owner than at the first look, or none, or one where there was none. */
  | { readonly until: 'changed' };

/** Where it is looked: what tells changes is listened to, what does not is polled. */
export interface WaitedSource extends Partial<LeaseWatcher> {
  readLease(key: string): Promise<SeenLease | undefined>;
}

/** Options of {@link waitForLease}. */
export interface WaitOptions {
  /** Milliseconds after which it gives up; 0 looks once. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Pick<Clock, 'monotonicMs'> | undefined;
}

/** How it ended, and what was seen last: the lease of each key, `undefined` where nobody holds it. */
export interface WaitResult {
  readonly met: boolean;
  readonly seen: ReadonlyMap<string, SeenLease | undefined>;
}

/** Where nothing tells of changes: how often it is looked, in milliseconds, and up to half of that sooner. */
const INTERVAL_MS = 1_000;
/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits until leases are as wanted. An expiry is counted down and read at its end; a backend that is away is ridden out;
 * what is not known is never taken for free.
 *
 * @throws what the last look failed with, when the time is up and it did; the signal's reason when it is aborted; at once
 *   what waiting does not mend, such as `ERR_LEASE_NOT_PERMITTED`.
 *
 * @example
 * ```ts
 * import { waitForLease } from 'mastra-lease';
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 *
 * const provider = new RedisLeaseProvider({ url: 'redis://127.0.0.1:6379/0' });
 * const { met } = await waitForLease(provider, ['deploy'], { until: 'free' }, { timeoutMs: 30_000 });
 * met; // => true
 * await provider.close();
 * ```
 */
export async function waitForLease(
  source: WaitedSource,
  keys: readonly string[],
  condition: WaitCondition,
  { timeoutMs, signal, clock }: WaitOptions,
): Promise<WaitResult> {
  signal?.throwIfAborted();
  const view = new View(keys, condition);
  if (timeoutMs === 0) return view.after(await Promise.all(keys.map((key) => source.readLease(key))));
  const end = new AbortController();
  const timer = timeoutMs > MAX_TIMER_MS ? undefined : setTimeout(() => end.abort(), timeoutMs);
  const stop = signal ? AbortSignal.any([end.signal, signal]) : end.signal;
  try {
    for await (const change of changesOf(source, keys, view, stop, clock)) {
      view.apply(change);
      if (view.isMet) break;
    }
  } finally {
    clearTimeout(timer);
    end.abort();
  }
  signal?.throwIfAborted();
  return view.result((clock ?? systemClock).monotonicMs());
}

function changesOf(
  source: WaitedSource,
  keys: readonly string[],
  view: View,
  signal: AbortSignal,
  clock: Pick<Clock, 'monotonicMs'> | undefined,
): AsyncIterable<LeaseChange | PolledChange<SeenLease>> {
  if (isLeaseWatcher(source)) return source.watchLeases({ signal, keys });
  const readLease = async (key: string) => {
    try {
      return await source.readLease(key);
    } catch (error) {
      view.failed(error);
      throw error;
    }
  };
  // Half of it by chance: whoever waits for the same key does not look at the same time.
  const intervalMs = (INTERVAL_MS * (1 + Math.random())) / 2;
  return pollLeases({ readLease }, { signal, keys, intervalMs, clock });
}

/** Nothing failed, and the time was too short to look even once. To callers it is as any backend that did not answer. */
export class NoLookError extends UnreachableError {
  override readonly name = 'UnreachableError';
}

/** What is known of the keys, folded from what is told. */
class View {
  readonly #keys: ReadonlySet<string>;
  readonly #condition: WaitCondition;
  readonly #held = new Map<string, SeenLease>();
  /** When the leases that are held end, unless they were renewed since; on the monotonic clock, in milliseconds. */
  readonly #endsAtMs = new Map<string, number>();
  readonly #changed = new Set<string>();
  #first: ReadonlyMap<string, SeenLease> | undefined;
  #isKnown = false;
  #failure: unknown = new NoLookError('No look at the backend was finished in time');

  constructor(keys: readonly string[], condition: WaitCondition) {
    this.#keys = new Set(keys);
    this.#condition = condition;
  }

  get isMet(): boolean {
    return this.#isKnown && [...this.#keys].every((key) => this.#isMetBy(key));
  }

  failed(error: unknown): void {
    this.#failure = error;
  }

  apply(change: LeaseChange | PolledChange<SeenLease>): void {
    switch (change.kind) {
      case 'snapshot-start':
        this.#isKnown = false;
        this.#held.clear();
        return;
      case 'snapshot-end':
        this.#isKnown = true;
        break;
      case 'held':
        for (const lease of change.leases) {
          if (lease.keyHex === undefined && this.#keys.has(lease.key)) this.#hold(lease, change.readAtMs);
        }
        break;
      case 'free':
        for (const key of change.keys) this.#held.delete(key);
        break;
      case 'stale':
        this.#isKnown = false;
        if (!(this.#failure instanceof Error) || !this.#failure.message.includes(change.reason)) {
          this.#failure = new UnreachableError(change.reason, change);
        }
        return;
      case 'live':
        return;
    }
    if (this.#isKnown) this.#compare();
  }

  /** One look is all there is. */
  after(leases: readonly (SeenLease | undefined)[]): WaitResult {
    for (const [index, key] of [...this.#keys].entries()) {
      const lease = leases[index];
      if (lease) this.#held.set(key, lease);
    }
    this.#isKnown = true;
    this.#compare();
    return this.result(Number.NEGATIVE_INFINITY);
  }

  /** What is known by now. A lease whose time is up, and that was not read since, is not known to be held. */
  result(nowMs: number): WaitResult {
    const isOver = [...this.#held.keys()].some((key) => (this.#endsAtMs.get(key) ?? nowMs) < nowMs);
    if (!this.#isKnown || isOver) throw this.#failure;
    return { met: this.isMet, seen: new Map([...this.#keys].map((key) => [key, this.#held.get(key)])) };
  }

  #hold(lease: SeenLease, readAtMs: number): void {
    this.#held.set(lease.key, lease);
    const { remainingMs } = lease;
    if (typeof remainingMs === 'number') this.#endsAtMs.set(lease.key, readAtMs + remainingMs);
    else this.#endsAtMs.delete(lease.key);
  }

  #compare(): void {
    this.#first ??= new Map(this.#held);
    for (const key of this.#keys) {
      const [before, now] = [this.#first.get(key), this.#held.get(key)];
      if (before?.owner !== now?.owner || before?.ownerHex !== now?.ownerHex) this.#changed.add(key);
    }
  }

  #isMetBy(key: string): boolean {
    const lease = this.#held.get(key);
    switch (this.#condition.until) {
      case 'free':
        return lease === undefined;
      case 'held':
        return lease !== undefined;
      case 'owner':
        return lease?.owner === this.#condition.owner && lease.ownerHex === undefined;
      case 'changed':
        return this.#changed.has(key);
    }
  }
}
