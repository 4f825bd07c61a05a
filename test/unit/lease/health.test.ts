import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWorstFirst, readHealth } from '../../../src/lease/health.js';
import type { Lease } from '../../../src/lease/inspector.js';

const THREAD = 'user-42\0t-1';
const RECOVERY = 'mastra:durable-agent-recovery:v1:["agent","run"]';
const EXECUTION = 'mastra:durable-agent-execution:v1:["agent","run"]';

function lease(key: string, remainingMs: number | null): Lease {
  return { key, owner: 'run-1', remainingMs };
}

describe('the health of a lease', () => {
  it.each<[string, string, number | null, ReturnType<typeof readHealth>]>([
    ['a thread that was just renewed', THREAD, 15_000, { health: 'ok', assumedTtlMs: 15_000 }],
    ['a thread at two thirds', THREAD, 10_000, { health: 'ok', assumedTtlMs: 15_000 }],
    ['a thread below two thirds', THREAD, 9_999, { health: 'late', assumedTtlMs: 15_000 }],
    ['a thread about to end', THREAD, 0, { health: 'late', assumedTtlMs: 15_000 }],
    ['a thread given more than assumed', THREAD, 60_000, { health: 'ok', assumedTtlMs: 15_000 }],
    ['a recovery at two thirds', RECOVERY, 20_000, { health: 'ok', assumedTtlMs: 30_000 }],
    ['a recovery below two thirds', RECOVERY, 19_999, { health: 'late', assumedTtlMs: 30_000 }],
    ['an execution below two thirds', EXECUTION, 19_999, { health: 'late', assumedTtlMs: 30_000 }],
    ['a step fence, which nobody renews', 'workflow-step-run:run:event', 1, { health: 'ok' }],
    ['a claim of an idle thread', 'thread-claim:user-42\0t-1', 1, { health: 'ok' }],
    ['a notification', 'notification-dispatch:user-42', 1, { health: 'ok' }],
    ['a schedule', 'schedule:nightly', 1, { health: 'ok' }],
    ['any other key', 'deploy', 1, { health: 'ok' }],
    ['a thread that never expires', THREAD, null, { health: 'no-expiry' }],
    ['any other key that never expires', 'deploy', null, { health: 'no-expiry' }],
  ])('%s', (_, key, remainingMs, reading) => {
    expect(readHealth(lease(key, remainingMs))).toEqual(reading);
  });

  it('is read against the lease time of the runtime that is looked at', () => {
    expect(readHealth(lease(THREAD, 20_000), 60_000)).toEqual({ health: 'late', assumedTtlMs: 60_000 });
    expect(readHealth(lease(THREAD, 2_000), 3_000)).toEqual({ health: 'ok', assumedTtlMs: 3_000 });
    expect(readHealth(lease(RECOVERY, 25_000), 60_000)).toEqual({ health: 'ok', assumedTtlMs: 30_000 });
  });
});

describe('the order of leases', () => {
  const read = (key: string, remainingMs: number | null) => {
    const one = lease(key, remainingMs);
    return { ...one, ...readHealth(one) };
  };

  it('is no expiry, then late, then by what is left', () => {
    const worst = [
      read(THREAD, null),
      read(THREAD, 100),
      read(RECOVERY, 19_000),
      read('deploy', 50),
      read(THREAD, 14_000),
    ];
    expect([...worst].reverse().sort(compareWorstFirst)).toEqual(worst);
  });

  it('is the same whichever way round they came', () => {
    const one = fc
      .tuple(fc.constantFrom(THREAD, RECOVERY, 'deploy'), fc.option(fc.nat({ max: 60_000 })))
      .map(([key, remainingMs]) => read(key, remainingMs));
    fc.assert(
      fc.property(one, one, (a, b) => {
        expect(Math.sign(compareWorstFirst(a, b)) + Math.sign(compareWorstFirst(b, a))).toBe(0);
      }),
    );
  });
});
