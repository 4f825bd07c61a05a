import { threadKey } from '../../src/lease/key.js';
import type {
  LeaseEvent,
  LeaseEventType,
  WatchEvent,
  WatchedLease,
} from '../../src/operations/watch-event.js';

/** A lease of a snapshot. */
export function lease(key: string, owner: string, more: Partial<WatchedLease> = {}): WatchedLease {
  return {
    key,
    owner,
    remainingMs: 12_400,
    health: 'ok',
    assumedTtlMs: 15_000,
    ...more,
  };
}

/** A thread's lease of a snapshot. */
export function threadLease(
  resource: string,
  thread: string,
  owner: string,
  more: Partial<WatchedLease> = {},
): WatchedLease {
  return lease(threadKey({ resource, thread }), owner, more);
}

/** An event about a thread's lease. */
export function threadEvent(
  type: LeaseEventType,
  resource: string,
  thread: string,
  owner: string,
  more: Partial<LeaseEvent> = {},
): LeaseEvent {
  const isGone = type === 'released' || type === 'expired';
  const remainingMs = type === 'no-expiry' ? null : type === 'late' ? 3_100 : 15_000;
  return {
    type,
    atMs: Date.now(),
    key: threadKey({ resource, thread }),
    owner,
    ...(!isGone && { remainingMs }),
    ...more,
  };
}

/** The state as it is now. */
export function snapshot(leases: readonly WatchedLease[], atMs = Date.now()): WatchEvent {
  return { type: 'snapshot', atMs, leases };
}

/** The view is live. */
export function up(atMs = Date.now()): WatchEvent {
  return { type: 'backend-up', atMs, how: 'pushed', commandsPerSecond: 0.4 };
}

/** The backend of the design's picture. */
export function incident(atMs = Date.now()): readonly WatchEvent[] {
  return [
    snapshot(
      [
        threadLease('user-42', 't-1', 'run-7f3c2a10'),
        threadLease('user-9', 'intro', 'run-0c11b7f2', { remainingMs: null, health: 'no-expiry' }),
        threadLease('user-7', 'billing', 'run-91aa02de', { remainingMs: 3_100, health: 'late' }),
        lease('deploy', 'job-1', { remainingMs: 600_000 }),
      ],
      atMs,
    ),
    up(atMs),
  ];
}
