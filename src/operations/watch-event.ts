import type { HealthReading } from '../lease/health.js';
import type { SeenLease } from '../lease/inspector.js';
import type { Staleness } from '../lease/watch-failure.js';

/** What can happen to a lease, as a watcher tells it. */
export const LEASE_EVENTS = [
  'acquired',
  'renewed',
  'transferred',
  'released',
  'expired',
  'late',
  'no-expiry',
] as const;

/** One of {@link LEASE_EVENTS}. */
export type LeaseEventType = (typeof LEASE_EVENTS)[number];

/** A lease of a snapshot. Time left and health are absent where the provider tells owners alone. */
export interface WatchedLease extends SeenLease, Partial<HealthReading> {}

/** The whole state, at the start and after every gap: what is not in it is free. */
export interface SnapshotEvent {
  readonly type: 'snapshot';
  readonly atMs: number;
  readonly leases: readonly WatchedLease[];
}

/** Something that happened to one lease. */
export interface LeaseEvent {
  readonly type: LeaseEventType;
  readonly atMs: number;
  readonly key: string;
  /** The stored key in hex, present only when its bytes are not UTF-8. */
  readonly keyHex?: string;
  /** The owner now; for `released` and `expired` the owner before. */
  readonly owner: string;
  /** The stored owner in hex, present only when its bytes are not UTF-8. */
  readonly ownerHex?: string;
  /** Only on `transferred`. */
  readonly previousOwner?: string;
  /** Milliseconds left, `null` for no expiry; absent when nobody holds it any more, or when it could not be read. */
  readonly remainingMs?: number | null;
  /**
   * A guess: why a lease is gone (released or expired), that it is late, and whatever lies between two looks at the
   * backend (after a gap, or while polling): only its result was seen.
   */
  readonly isInferred?: true;
}

/** The view is live, from the last snapshot on. */
export interface BackendUpEvent {
  readonly type: 'backend-up';
  readonly atMs: number;
  readonly how: 'pushed' | 'polling';
  /** Milliseconds between two looks, where it polls. */
  readonly intervalMs?: number;
  /** What watching costs the server while nothing changes. */
  readonly commandsPerSecond: number;
  /** Why it polls where it could be pushed. */
  readonly why?: string;
}

/** Nothing is known any more, until the next snapshot. */
export interface BackendDownEvent extends Staleness {
  readonly type: 'backend-down';
  readonly atMs: number;
}

/**
 * One event of a watch, in the order in which it became known. `atMs` is when, milliseconds since the epoch on this
 * host's clock.
 */
export type WatchEvent = SnapshotEvent | LeaseEvent | BackendUpEvent | BackendDownEvent;
