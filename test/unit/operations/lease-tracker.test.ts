import { beforeEach, describe, expect, it } from 'vitest';
import type { SeenLease } from '../../../src/lease/inspector.js';
import type { PolledChange } from '../../../src/lease/poll-leases.js';
import { LeaseTracker } from '../../../src/operations/lease-tracker.js';
import type { WatchEvent } from '../../../src/operations/watch-event.js';

const THREAD = 'user-42\0t-1';
const WALL_MS = 1_790_000_000_000;

let nowMs: number;
let tracker: LeaseTracker;

beforeEach(() => {
  nowMs = 5_000;
  tracker = new LeaseTracker({ threadTtlMs: 15_000 });
});

const moment = () => ({ monotonicMs: nowMs, wallMs: WALL_MS + nowMs });
const apply = (change: PolledChange<SeenLease>) => tracker.apply(change, moment());
const held = (key: string, owner: string, remainingMs: number | null = 15_000) =>
  apply({ kind: 'held', leases: [{ key, owner, remainingMs }], readAtMs: nowMs });
const free = (key: string) => apply({ kind: 'free', keys: [key], readAtMs: nowMs });
const live = (how: 'pushed' | 'polling' = 'pushed', intervalMs?: number) =>
  apply({ kind: 'live', how, commandsPerSecond: 1, ...(intervalMs !== undefined && { intervalMs }) });
const pass = (ms: number) => {
  nowMs += ms;
  return tracker.overdue(moment());
};

function snapshot(...leases: readonly SeenLease[]): readonly WatchEvent[] {
  const start = apply({ kind: 'snapshot-start' });
  const told = apply({ kind: 'held', leases, readAtMs: nowMs });
  return [...start, ...told, ...apply({ kind: 'snapshot-end' })];
}

/** What is told of an event, without the moment and the key. */
const told = (events: readonly WatchEvent[]) =>
  events.map((event) => {
    if (event.type === 'snapshot') return `snapshot of ${event.leases.length}`;
    if (event.type === 'backend-up' || event.type === 'backend-down') return event.type;
    const { type, owner, previousOwner, isInferred } = event;
    const who = previousOwner === undefined ? owner : `${previousOwner} → ${owner}`;
    return `${type} ${who}${isInferred ? ' (inferred)' : ''}`;
  });

describe('a watch that goes on', () => {
  beforeEach(() => {
    snapshot();
    live();
  });

  it('tells each thing that happens to a lease by its name', () => {
    expect(held(THREAD, 'run-a')).toEqual([
      { type: 'acquired', atMs: WALL_MS + nowMs, key: THREAD, owner: 'run-a', remainingMs: 15_000 },
    ]);
    nowMs += 5_000;
    expect(told(held(THREAD, 'run-a'))).toEqual(['renewed run-a']);
    nowMs += 2_000;
    expect(told(held(THREAD, 'run-b'))).toEqual(['transferred run-a → run-b']);
    nowMs += 1_000;
    expect(free(THREAD)).toEqual([
      { type: 'released', atMs: WALL_MS + nowMs, key: THREAD, owner: 'run-b', isInferred: true },
    ]);
  });

  it('says nothing of a lease that is only read again', () => {
    held(THREAD, 'run-a', 15_000);
    nowMs += 3_000;
    expect(held(THREAD, 'run-a', 12_000)).toEqual([]);
    nowMs += 10;
    expect(held(THREAD, 'run-a', 12_020)).toEqual([]);
    expect(free('another')).toEqual([]);
  });

  it('takes an end for expired when the time left had run out, else for released', () => {
    held(THREAD, 'run-a', 15_000);
    nowMs += 14_900;
    expect(told(free(THREAD))).toEqual(['released run-a (inferred)']);
    held(THREAD, 'run-b', 15_000);
    nowMs += 15_002;
    expect(told(free(THREAD))).toEqual(['expired run-b (inferred)']);
  });

  it('takes an owner after one whose time had run out for another acquire', () => {
    held(THREAD, 'run-a', 1_000);
    nowMs += 1_500;
    expect(told(held(THREAD, 'run-b'))).toEqual(['expired run-a (inferred)', 'acquired run-b']);
  });

  it('tells a lease without expiry, also when it becomes one and when it no longer is', () => {
    expect(told(held('stuck', 'run-a', null))).toEqual(['acquired run-a', 'no-expiry run-a']);
    expect(told(held('stuck', 'run-a', null))).toEqual([]);
    expect(told(held('stuck', 'run-a', 9_000))).toEqual(['renewed run-a']);
    expect(told(held('stuck', 'run-a', null))).toEqual(['no-expiry run-a']);
    expect(told(held('stuck', 'run-b', null))).toEqual(['transferred run-a → run-b', 'no-expiry run-b']);
    expect(told(free('stuck'))).toEqual(['released run-b (inferred)']);
  });

  it('does not take time left that comes into view for a renewal that was seen', () => {
    apply({ kind: 'held', leases: [{ key: 'k', owner: 'run-a' }], readAtMs: nowMs });
    expect(told(held('k', 'run-a', 9_000))).toEqual(['renewed run-a (inferred)']);
  });

  it('keeps keys that are no text apart', () => {
    const hex = (keyHex: string) =>
      apply({
        kind: 'held',
        leases: [{ key: '\ufffd', keyHex, owner: 'x', remainingMs: 9 }],
        readAtMs: nowMs,
      });
    expect(hex('ff')).toEqual([expect.objectContaining({ type: 'acquired', key: '\ufffd', keyHex: 'ff' })]);
    expect(hex('fe')).toEqual([expect.objectContaining({ type: 'acquired', key: '\ufffd', keyHex: 'fe' })]);
    expect(free('\ufffd')).toEqual([expect.objectContaining({ type: 'expired', keyHex: 'ff' })]);
  });

  it('tells while polling that a transfer may have been a release and an acquire', () => {
    live('polling', 2_000);
    held(THREAD, 'run-a');
    nowMs += 2_000;
    expect(told(held(THREAD, 'run-b'))).toEqual(['transferred run-a → run-b (inferred)']);
  });
});

describe('lateness', () => {
  beforeEach(() => {
    snapshot();
    live();
  });

  it('is told once, when a renewal at two thirds of the time has not come', () => {
    held(THREAD, 'run-a', 15_000);
    expect(pass(5_000)).toEqual([]);
    expect(pass(400)).toEqual([]);
    expect(pass(200)).toEqual([
      {
        type: 'late',
        atMs: WALL_MS + nowMs,
        key: THREAD,
        owner: 'run-a',
        remainingMs: 9_400,
        isInferred: true,
      },
    ]);
    expect(pass(5_000)).toEqual([]);
    held(THREAD, 'run-a', 15_000);
    expect(pass(5_000)).toEqual([]);
    expect(told(pass(1_000))).toEqual(['late run-a (inferred)']);
  });

  it('says when it is to be looked for, and is never told after that of a lease that was renewed or ended', () => {
    held(THREAD, 'run-a', 15_000);
    held('user-1\0other', 'run-b', 15_000);
    expect(tracker.nextDueMs).toBe(nowMs + 5_500);
    nowMs += 5_000;
    held(THREAD, 'run-a', 15_000);
    free('user-1\0other');
    expect(pass(1_000)).toEqual([]);
    expect(tracker.nextDueMs).toBe(nowMs + 4_500);
  });

  it('goes by the longest time that was seen, not by the one that is assumed', () => {
    held(THREAD, 'run-a', 60_000);
    expect(pass(21_000)).toEqual([]);
    expect(told(pass(2_000))).toEqual(['late run-a (inferred)']);
    held(THREAD, 'run-b', 6_000);
    expect(pass(2_000)).toEqual([]);
    expect(told(pass(500))).toEqual(['late run-b (inferred)']);
  });

  it('takes a shorter time that a renewal gives for the new one', () => {
    held(THREAD, 'run-a', 60_000);
    nowMs += 45_100;
    expect(told(held(THREAD, 'run-a', 15_000))).toEqual(['renewed run-a']);
    expect(pass(5_000)).toEqual([]);
    expect(told(pass(1_000))).toEqual(['late run-a (inferred)']);
  });

  it('is not told of what nobody renews, until somebody does', () => {
    held('deploy', 'job', 15_000);
    expect(pass(9_000)).toEqual([]);
    held('deploy', 'job', 15_000);
    expect(told(pass(9_000))).toEqual(['late job (inferred)']);
  });

  it('is not told between two polls, where a renewal may not have been seen yet', () => {
    live('polling', 2_000);
    held(THREAD, 'run-a', 15_000);
    expect(pass(7_000)).toEqual([]);
    expect(told(pass(600))).toEqual(['late run-a (inferred)']);
  });

  it('is not told while the backend is lost', () => {
    held(THREAD, 'run-a', 15_000);
    apply({ kind: 'stale', reason: 'connection refused' });
    expect(tracker.nextDueMs).toBeUndefined();
    expect(pass(9_000)).toEqual([]);
  });

  it('of 10,000 leases that come and go does not keep what is gone', () => {
    for (let index = 0; index < 100_000; index += 1) {
      const key = `user\0${index}`;
      held(key, 'run', 15_000);
      free(key);
      nowMs += 1;
    }
    expect(pass(60_000)).toEqual([]);
    expect(tracker.nextDueMs).toBeUndefined();
  });
});

describe('a snapshot', () => {
  it('is all that the beginning tells', () => {
    const late = { key: 'user-1\0late', owner: 'run-l', remainingMs: 3_000 };
    const stuck = { key: 'stuck', owner: 'run-s', remainingMs: null };
    expect(snapshot(late, stuck, { key: 'k', owner: 'o' })).toEqual([
      {
        type: 'snapshot',
        atMs: WALL_MS + nowMs,
        leases: [
          {
            ...late,
            health: 'late',
            assumedTtlMs: 15_000,
          },
          { ...stuck, health: 'no-expiry' },
          { key: 'k', owner: 'o' },
        ],
      },
    ]);
    live();
    expect(pass(1_000)).toEqual([]);
  });

  it('counts down what was read before its end, and takes in what changed meanwhile', () => {
    apply({ kind: 'snapshot-start' });
    held('a', 'run-a', 9_000);
    held('b', 'run-b', 9_000);
    nowMs += 1_000;
    expect(free('b')).toEqual([]);
    expect(held('c', 'run-c', 9_000)).toEqual([]);
    expect(apply({ kind: 'snapshot-end' })).toEqual([
      expect.objectContaining({
        leases: [
          expect.objectContaining({ key: 'a', remainingMs: 8_000 }),
          expect.objectContaining({ key: 'c', remainingMs: 9_000 }),
        ],
      }),
    ]);
  });

  it('after a gap comes first; what changed is told after it, as inferred', () => {
    const others = ['kept', 'moved', 'gone', 'over', 'stuck'].map((name) => `user\0${name}`);
    const [kept, moved, gone, over, stuck] = others as [string, string, string, string, string];
    snapshot(...others.map((key) => ({ key, owner: 'run-a', remainingMs: key === over ? 2_000 : 15_000 })));
    live();
    expect(told(apply({ kind: 'stale', reason: 'refused' }))).toEqual(['backend-down']);
    nowMs += 6_000;
    const events = snapshot(
      { key: kept, owner: 'run-a', remainingMs: 14_000 },
      { key: moved, owner: 'run-b', remainingMs: 15_000 },
      { key: stuck, owner: 'run-a', remainingMs: null },
      { key: 'user\0new', owner: 'run-c', remainingMs: 15_000 },
    );
    expect(told(events)).toEqual([
      'snapshot of 4',
      'transferred run-a → run-b (inferred)',
      'no-expiry run-a (inferred)',
      'acquired run-c (inferred)',
      'released run-a (inferred)',
      'expired run-a (inferred)',
    ]);
    expect(events.slice(-2).map((event) => 'key' in event && event.key)).toEqual([gone, over]);
    expect(told(live())).toEqual(['backend-up']);
  });

  it('that did not come to its end counts for nothing', () => {
    snapshot({ key: 'a', owner: 'run-a', remainingMs: 9_000 });
    apply({ kind: 'snapshot-start' });
    held('b', 'run-b');
    apply({ kind: 'stale', reason: 'lost' });
    expect(told(snapshot({ key: 'a', owner: 'run-a', remainingMs: 9_000 }))).toEqual(['snapshot of 1']);
  });
});

describe('the backend', () => {
  it('is told to be lost once for each reason, and to be there again', () => {
    expect(apply({ kind: 'stale', reason: 'connection refused' })).toEqual([
      { type: 'backend-down', atMs: WALL_MS + nowMs, reason: 'connection refused' },
    ]);
    expect(apply({ kind: 'stale', reason: 'connection refused' })).toEqual([]);
    expect(told(apply({ kind: 'stale', reason: 'timed out' }))).toEqual(['backend-down']);
    snapshot();
    expect(live('polling', 2_000)).toEqual([
      {
        type: 'backend-up',
        atMs: WALL_MS + nowMs,
        how: 'polling',
        intervalMs: 2_000,
        commandsPerSecond: 1,
      },
    ]);
    expect(live('polling', 2_000)).toEqual([]);
    expect(told(live('pushed'))).toEqual(['backend-up']);
  });
});
