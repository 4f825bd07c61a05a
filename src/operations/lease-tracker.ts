import { type Due, DueHeap } from '../lease/due-heap.js';
import { readHealth } from '../lease/health.js';
import type { LeaseChange, SeenLease } from '../lease/inspector.js';
import { leaseId } from '../lease/lease-id.js';
import type { PolledChange } from '../lease/poll-leases.js';
import type { Staleness } from '../lease/watch-failure.js';
import type { WatchEvent } from './watch-event.js';
import { isLateAt, lateBelowMs, type RenewalFacts, referenceTtlMs } from './watch-lateness.js';
import { changedHands, eventOf, goneEvent, lateEvent, taken } from './watch-lease-events.js';
import {
  endOf,
  hasRunOut,
  healthOf,
  isOtherCountdown,
  isSameOwner,
  leftAt,
  type Moment,
  type Read,
  renewed,
  type Tracked,
} from './watch-tracked.js';

/**
 * Makes events of changes. Pure: time comes in with each call, and nothing goes out but the events.
 *
 * - A lease that is gone had `expired` when its time left had run out by the countdown since it was last read, else it
 *   was `released`.
 * - An owner after another is `transferred` when the first one's time had not run out, else `expired` and `acquired`.
 * - Time left that rose, or fell faster than time passes, is `renewed`: for longer, or for less.
 * - After a gap, a `snapshot` replaces the state. What changed across the gap is told after it, marked as inferred,
 *   since only the result was seen; that a lease was renewed meanwhile is not told.
 *
 * What the events say in sum is what the changes said, but for what two reads of one countdown differ by (`READ_JITTER_MS`).
 */
export class LeaseTracker {
  readonly #threadTtlMs: number;
  readonly #late = new DueHeap<Due & { readonly id: string }>();
  #leases = new Map<string, Tracked>();
  #collecting: Map<string, Read> | undefined;
  #isKnown = false;
  #downReason: string | undefined;
  #up: Extract<LeaseChange, { kind: 'live' }> | undefined;

  /** `threadTtlMs`: the lease time of the runtime that is looked at. */
  constructor({ threadTtlMs }: { readonly threadTtlMs: number }) {
    this.#threadTtlMs = threadTtlMs;
  }

  /** When {@link overdue} may have something to tell, on the monotonic clock. */
  get nextDueMs(): number | undefined {
    return this.#downReason === undefined ? this.#late.nextMs : undefined;
  }

  /** What a change amounts to. */
  apply(change: PolledChange<SeenLease>, now: Moment): readonly WatchEvent[] {
    switch (change.kind) {
      case 'snapshot-start':
        this.#collecting = new Map();
        return [];
      case 'snapshot-end':
        return this.#endSnapshot(now);
      case 'held':
        return change.leases.flatMap((lease) => this.#held({ lease, readAtMs: change.readAtMs }, now));
      case 'free':
        return change.keys.flatMap((key) => this.#free(key, change.readAtMs, now));
      case 'live':
        return this.#live(change, now);
      case 'stale':
        return this.#stale(change, now);
    }
  }

  /** The leases that have become late by the passing of time alone. */
  overdue(now: Moment): readonly WatchEvent[] {
    const events: WatchEvent[] = [];
    if (this.#downReason !== undefined) return events;
    for (;;) {
      const { id } = this.#late.takeDue(now.monotonicMs) ?? {};
      if (id === undefined) return events;
      const tracked = this.#leases.get(id);
      const dueMs = tracked && this.#dueMs(tracked);
      if (tracked === undefined || dueMs === undefined) continue;
      if (dueMs > now.monotonicMs) {
        this.#late.put({ id, dueAtMs: dueMs });
        continue;
      }
      this.#leases.set(id, { ...tracked, isLate: true });
      events.push(lateEvent(tracked, now));
    }
  }

  #held(read: Read, now: Moment): readonly WatchEvent[] {
    const { lease, readAtMs } = read;
    const id = leaseId(lease);
    if (this.#collecting) {
      this.#collecting.set(id, read);
      return [];
    }
    const known = this.#leases.get(id);
    if (!known) {
      this.#keep(id, this.#granted(read));
      return taken('acquired', read, now);
    }
    if (!isSameOwner(known.lease, lease)) {
      this.#keep(id, this.#granted(read));
      return changedHands(known, read, now, this.#up?.how === 'polling');
    }
    if (!isOtherCountdown(known, read)) return [];
    const kept = { ...known, lease, endsAtMs: endOf(read) };
    if (lease.remainingMs === undefined) this.#keep(id, kept);
    else if (lease.remainingMs === null) {
      this.#keep(id, { ...kept, isLate: false });
      return [eventOf('no-expiry', read, now)];
    } else {
      this.#keep(id, renewed(kept, lease.remainingMs));
      // Where it had run out, or could not be seen for a while, it may have been free in between.
      const isInferred = known.endsAtMs === undefined || hasRunOut(known, readAtMs);
      return [eventOf('renewed', read, now, isInferred)];
    }
    return [];
  }

  #free(key: string, readAtMs: number, now: Moment): readonly WatchEvent[] {
    for (const id of this.#idsOf(key)) {
      if (this.#collecting) {
        this.#collecting.delete(id);
        continue;
      }
      const known = this.#leases.get(id);
      if (!known) continue;
      this.#leases.delete(id);
      return [goneEvent(known, readAtMs, now)];
    }
    return [];
  }

  #endSnapshot(now: Moment): readonly WatchEvent[] {
    const found = this.#collecting ?? new Map<string, Read>();
    const before = this.#leases;
    const events: WatchEvent[] = [];
    this.#collecting = undefined;
    this.#leases = new Map();
    this.#late.clear();
    for (const [id, read] of found) {
      const { lease } = read;
      const known = before.get(id);
      const facts = this.#carriedOver(known, read);
      const isLate = isLateAt(facts, lease.remainingMs);
      const tracked: Tracked = { ...facts, lease, endsAtMs: endOf(read), isLate };
      this.#keep(id, tracked);
      if (!this.#isKnown) continue;
      if (!known) events.push(...taken('acquired', read, now, true));
      else if (!isSameOwner(known.lease, lease)) events.push(...changedHands(known, read, now, true));
      else if (lease.remainingMs === null && known.endsAtMs !== null)
        events.push(eventOf('no-expiry', read, now, true));
      else if (isLate && !known.isLate) events.push(lateEvent(tracked, now));
    }
    // A large one would be there twice while it is told.
    found.clear();
    for (const [id, known] of before) {
      if (!this.#leases.has(id)) events.push(goneEvent(known, now.monotonicMs, now));
    }
    this.#isKnown = true;
    return [this.#snapshot(now), ...events];
  }

  #snapshot(now: Moment): WatchEvent {
    const leases = Array.from(this.#leases.values(), (tracked) => {
      const { remainingMs: _, ...rest } = tracked.lease;
      const left = leftAt(tracked.endsAtMs, now.monotonicMs);
      const health = healthOf(tracked, left);
      const assumedTtlMs = left === null ? undefined : referenceTtlMs(tracked);
      return {
        ...rest,
        ...(left !== undefined && { remainingMs: left }),
        ...(health !== undefined && { health }),
        ...(assumedTtlMs !== undefined && { assumedTtlMs }),
      };
    });
    return { type: 'snapshot', atMs: Math.round(now.wallMs), leases };
  }

  #live(change: Extract<LeaseChange, { kind: 'live' }>, now: Moment): readonly WatchEvent[] {
    const { kind: _, ...cost } = change;
    const isNews = this.#downReason !== undefined || !isSameCost(this.#up, change);
    const isOtherInterval = this.#up?.intervalMs !== change.intervalMs;
    this.#up = change;
    this.#downReason = undefined;
    if (isOtherInterval) this.#queueAll();
    return isNews ? [{ type: 'backend-up', atMs: Math.round(now.wallMs), ...cost }] : [];
  }

  #stale({ reason, remedy }: Staleness, now: Moment): readonly WatchEvent[] {
    this.#collecting = undefined;
    if (this.#downReason === reason) return [];
    this.#downReason = reason;
    return [
      { type: 'backend-down', atMs: Math.round(now.wallMs), reason, ...(remedy !== undefined && { remedy }) },
    ];
  }

  /** A lease that its owner has just been given. */
  #granted(read: Read): Tracked {
    return { ...this.#facts(read, true), lease: read.lease, endsAtMs: endOf(read), isLate: false };
  }

  #facts({ lease }: Read, isGrantSeen: boolean): RenewalFacts {
    const { key, owner, remainingMs } = lease;
    const { assumedTtlMs } = readHealth({ key, owner, remainingMs: 0 }, this.#threadTtlMs);
    return {
      longestMs: remainingMs ?? 0,
      // With no time left to see, nothing was seen of how long it was given.
      isGrantSeen: isGrantSeen && typeof remainingMs === 'number',
      isRenewalSeen: false,
      ...(assumedTtlMs !== undefined && { assumedTtlMs }),
    };
  }

  /** What was learnt of a lease before a gap still holds when its owner has it still. */
  #carriedOver(known: Tracked | undefined, read: Read): RenewalFacts {
    const { lease } = read;
    if (!known || !isSameOwner(known.lease, lease)) return this.#facts(read, false);
    const { isGrantSeen, isRenewalSeen, assumedTtlMs } = known;
    const longestMs = Math.max(known.longestMs, lease.remainingMs ?? 0);
    return {
      longestMs,
      isGrantSeen,
      isRenewalSeen,
      ...(assumedTtlMs !== undefined && { assumedTtlMs }),
    };
  }

  #keep(id: string, tracked: Tracked): void {
    const queuedMs = this.#dueMs(this.#leases.get(id));
    this.#leases.set(id, tracked);
    const dueMs = this.#dueMs(tracked);
    // A lease that was renewed is still in the queue, at the moment at which it would have been late without.
    if (dueMs === undefined || (queuedMs !== undefined && queuedMs <= dueMs)) return;
    this.#late.put({ id, dueAtMs: dueMs });
    if (this.#late.size > 2 * this.#leases.size + 1_000) this.#queueAll();
  }

  /** The queue keeps ids whose lease has ended; from time to time they are left behind. */
  #queueAll(): void {
    this.#late.clear();
    for (const [id, tracked] of this.#leases) {
      const dueMs = this.#dueMs(tracked);
      if (dueMs !== undefined) this.#late.put({ id, dueAtMs: dueMs });
    }
  }

  /** When a lease will be late; between two polls it may have been renewed and not yet be seen so. */
  #dueMs(tracked: Tracked | undefined): number | undefined {
    if (!tracked || tracked.isLate || typeof tracked.endsAtMs !== 'number') return undefined;
    const belowMs = lateBelowMs(tracked);
    if (belowMs === undefined) return undefined;
    const dueMs = tracked.endsAtMs - belowMs + (this.#up?.intervalMs ?? 0);
    return dueMs < tracked.endsAtMs ? dueMs : undefined;
  }

  /** A key that is not text is told as free by the text that stands for it. */
  #idsOf(key: string): readonly string[] {
    const leases: ReadonlyMap<string, { readonly lease: SeenLease }> = this.#collecting ?? this.#leases;
    if (leases.has(key) || !key.includes('\ufffd')) return [key];
    return [...leases].flatMap(([id, { lease }]) => (lease.key === key ? [id] : []));
  }
}

function isSameCost(
  a: Extract<LeaseChange, { kind: 'live' }> | undefined,
  b: Extract<LeaseChange, { kind: 'live' }>,
): boolean {
  return (
    a?.how === b.how &&
    a.intervalMs === b.intervalMs &&
    a.commandsPerSecond === b.commandsPerSecond &&
    a.why === b.why
  );
}
