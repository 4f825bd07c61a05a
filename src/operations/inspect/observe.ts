import { isLeaseError } from '../../lease/errors.js';
import { readHealth } from '../../lease/health.js';
import type { VerdictFacts } from '../../lease/verdict.js';
import { watchEvents } from '../watch.js';
import type { LeaseEvent, WatchEvent } from '../watch-event.js';
import { isSameOwner } from '../watch-tracked.js';
import { type InspectContext, type Inspection, judged, look } from './inspect.js';

/** How long renewals are watched for. */
export interface ObserveRequest {
  readonly forMs: number;
  /** Whether it is enough to see that each lease's owner lives. */
  readonly untilRenewed: boolean;
  /** Ends it, without a last look. */
  readonly signal: AbortSignal;
}

/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Watches the leases of inspections, all on one watch: yields them whenever one of them has changed, and at last after
 * another look at everything. Only reads. That they cannot be watched is told, not thrown.
 */
export async function* observe(
  context: InspectContext,
  first: readonly Inspection[],
  { forMs, untilRenewed, signal }: ObserveRequest,
): AsyncGenerator<readonly Inspection[], void, undefined> {
  const observed = new Map(first.map((inspection) => [inspection.key, new Observed(context, inspection)]));
  const all = () => [...observed.values()];
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), Math.min(forMs, MAX_TIMER_MS));
  try {
    const events = watchEvents(context, {
      keys: [...observed.keys()],
      threadTtlMs: context.settings.ttlMs,
      signal: AbortSignal.any([signal, end.signal]),
    });
    for await (const event of events) {
      if (!all().reduce((hasChanged, one) => one.note(event) || hasChanged, false)) continue;
      yield all().map((one) => one.inspection());
      if (untilRenewed && all().every((one) => one.isSeenAlive)) break;
    }
  } catch (error) {
    if (!isLeaseError(error)) throw error;
    for (const one of all()) one.failed(error);
  } finally {
    clearTimeout(timer);
    end.abort();
  }
  if (!signal.aborted) yield await Promise.all(all().map((one) => one.lookAgain()));
}

/** A lease while it is watched: what the last look showed, and what has happened to it since. */
class Observed {
  readonly #context: InspectContext;
  #seen: Inspection;
  /** Since when the view is live, and how long it was before, in milliseconds; what happened in a gap was not seen. */
  #liveSinceMs: number | undefined;
  #watchedMs = 0;
  #isWatched = false;
  #renewedAtMs: number[] = [];

  constructor(context: InspectContext, seen: Inspection) {
    this.#context = context;
    this.#seen = seen;
  }

  /** Whether it was renewed; where that is for less time than is assumed, twice: only the pace tells that it is not late. */
  get isSeenAlive(): boolean {
    const { lease, ttlMs } = this.#seen.facts;
    if (typeof lease?.remainingMs !== 'number') return this.#renewedAtMs.length > 0;
    const { health } = readHealth({ ...lease, remainingMs: lease.remainingMs }, ttlMs);
    return this.#renewedAtMs.length > (health === 'late' ? 1 : 0);
  }

  /** Takes an event; whether it changes what is known of this lease. */
  note(event: WatchEvent): boolean {
    switch (event.type) {
      case 'snapshot':
      case 'backend-up':
        this.#isWatched = true;
        this.#liveSinceMs ??= this.#context.clock.monotonicMs();
        return false;
      case 'backend-down':
        this.#watchedMs = this.#watchedSoFarMs();
        this.#liveSinceMs = undefined;
        return false;
      default:
        return event.key === this.#seen.key && event.keyHex === undefined && this.#noteLease(event);
    }
  }

  failed(error: NonNullable<Inspection['watchError']>): void {
    this.#seen = { ...this.#seen, watchError: error };
  }

  inspection(): Inspection {
    const { facts } = this.#seen;
    return judged(this.#context, { ...facts, ...this.#renewals() }, this.#seen);
  }

  /** Everything anew, with what the watch has shown of the lease's owner, if it still is. */
  async lookAgain(): Promise<Inspection> {
    const { key, notes, related, watchError, facts: before } = this.#seen;
    const { facts, ...again } = await look(this.#context, key, notes);
    const isSame = facts.lease && before.lease && isSameOwner(facts.lease, before.lease);
    return judged(
      this.#context,
      {
        ...facts,
        ...(before.isPrefixUsed !== undefined && { isPrefixUsed: before.isPrefixUsed }),
        ...(isSame && this.#renewals()),
      },
      { ...again, related, ...(watchError && { watchError }) },
    );
  }

  #noteLease(event: LeaseEvent): boolean {
    const { type, key, owner, ownerHex, remainingMs, atMs } = event;
    const { lease: before, ...facts } = this.#seen.facts;
    if (type === 'released' || type === 'expired') {
      this.#renewedAtMs = [];
      this.#seen = { ...this.#seen, facts };
      return true;
    }
    const lease = {
      key,
      owner,
      ...(ownerHex !== undefined && { ownerHex }),
      ...(remainingMs !== undefined && { remainingMs }),
    };
    if (!before || !isSameOwner(before, lease)) {
      this.#renewedAtMs = [];
      this.#watchedMs = 0;
      if (this.#liveSinceMs !== undefined) this.#liveSinceMs = this.#context.clock.monotonicMs();
    }
    if (type === 'renewed') this.#renewedAtMs.push(atMs);
    this.#seen = { ...this.#seen, facts: { ...facts, lease } };
    return true;
  }

  #renewals(): Pick<VerdictFacts, 'renewals'> {
    if (!this.#isWatched) return {};
    const times = this.#renewedAtMs;
    const [firstMs, lastMs] = [times[0], times.at(-1)];
    const isPaced = firstMs !== undefined && lastMs !== undefined && times.length > 1;
    return {
      renewals: {
        seen: times.length,
        ...(isPaced && { intervalMs: Math.round((lastMs - firstMs) / (times.length - 1)) }),
        ...(lastMs !== undefined && { lastAgoMs: Math.max(0, this.#context.clock.wallMs() - lastMs) }),
        watchedMs: Math.round(this.#watchedSoFarMs()),
      },
    };
  }

  #watchedSoFarMs(): number {
    const sinceMs = this.#liveSinceMs;
    return this.#watchedMs + (sinceMs === undefined ? 0 : this.#context.clock.monotonicMs() - sinceMs);
  }
}
