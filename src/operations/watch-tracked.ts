import type { LeaseHealth } from '../lease/health.js';
import type { SeenLease } from '../lease/inspector.js';
import { isLateAt, type RenewalFacts } from './watch-lateness.js';

/** One moment on both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Two reads of one countdown differ by this much at most: they took different times on the way. In milliseconds. */
const READ_JITTER_MS = 50;

/** A lease as it was last told, on the monotonic clock. */
export interface Tracked extends RenewalFacts {
  readonly lease: SeenLease;
  /** When it ends; `null` never, `undefined` cannot be told. */
  readonly endsAtMs: number | null | undefined;
  /** Whether it was told to be late. */
  readonly isLate: boolean;
}

/** A lease and when it was read, on the monotonic clock. */
export interface Read {
  readonly lease: SeenLease;
  readonly readAtMs: number;
}

export function isSameOwner(a: SeenLease, b: SeenLease): boolean {
  return a.owner === b.owner && a.ownerHex === b.ownerHex;
}

export function endOf({ lease: { remainingMs }, readAtMs }: Read): number | null | undefined {
  return typeof remainingMs === 'number' ? readAtMs + remainingMs : remainingMs;
}

export function leftAt(endsAtMs: number | null | undefined, nowMs: number): number | null | undefined {
  return typeof endsAtMs === 'number' ? Math.max(0, Math.round(endsAtMs - nowMs)) : endsAtMs;
}

export function hasRunOut({ endsAtMs }: Tracked, atMs: number): boolean {
  return typeof endsAtMs === 'number' && endsAtMs <= atMs + READ_JITTER_MS;
}

export function isOtherCountdown({ endsAtMs }: Tracked, read: Read): boolean {
  const nowEndsAtMs = endOf(read);
  if (typeof endsAtMs !== 'number' || typeof nowEndsAtMs !== 'number') return endsAtMs !== nowEndsAtMs;
  return Math.abs(nowEndsAtMs - endsAtMs) > READ_JITTER_MS;
}

export function healthOf(
  { isLate }: Tracked,
  remainingMs: number | null | undefined,
): LeaseHealth | undefined {
  if (remainingMs === undefined) return undefined;
  if (remainingMs === null) return 'no-expiry';
  return isLate ? 'late' : 'ok';
}

/** A lease with a new time left. Where that would be late at once, the TTL is another one now. */
export function renewed(tracked: Tracked, remainingMs: number): Tracked {
  const facts = { ...tracked, isGrantSeen: true, isRenewalSeen: true, isLate: false };
  const longestMs = Math.max(tracked.isGrantSeen ? tracked.longestMs : 0, remainingMs);
  const isShorter = isLateAt({ ...facts, longestMs }, remainingMs);
  return { ...facts, longestMs: isShorter ? remainingMs : longestMs };
}
