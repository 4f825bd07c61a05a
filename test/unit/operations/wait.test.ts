import { describe, expect, test } from 'vitest';
import { NotPermittedError, UnreachableError, UnverifiedError } from '../../../src/lease/errors.js';
import type { SeenLease } from '../../../src/lease/inspector.js';
import { type WaitCondition, waitForLease } from '../../../src/lease/wait.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';
import { waitFor } from '../../support/wait-for.js';

const FREE: WaitCondition = { until: 'free' };

/** The real leases, told of by the provider (pushed) or only read (polled). */
function sourceOf(leases: MemoryLeaseProvider, how: 'pushed' | 'polled') {
  return how === 'pushed' ? leases : { readLease: (key: string) => leases.readLease(key) };
}

describe.each(['pushed', 'polled'] as const)('%s', (how) => {
  test('waits until every key is free, whether given back or expired', async () => {
    const leases = new MemoryLeaseProvider();
    await leases.acquireLease('one', 'job-1', 60_000);
    await leases.acquireLease('two', 'job-2', 300);
    const waiting = waitForLease(sourceOf(leases, how), ['one', 'two'], FREE, { timeoutMs: 10_000 });
    await waitFor(async () => (await leases.getLeaseOwner('two')) === undefined);
    await leases.releaseLease('one', 'job-1');
    expect(await waiting).toEqual({
      met: true,
      seen: new Map([
        ['one', undefined],
        ['two', undefined],
      ]),
    });
  });

  test('tells what it saw last when the time is up', async () => {
    const leases = new MemoryLeaseProvider();
    await leases.acquireLease('one', 'job-1', 60_000);
    const { met, seen } = await waitForLease(sourceOf(leases, how), ['one', 'two'], FREE, { timeoutMs: 50 });
    expect({ met, one: seen.get('one')?.owner, two: seen.get('two') }).toEqual({
      met: false,
      one: 'job-1',
      two: undefined,
    });
  });

  test('ends with the reason of an abort', async () => {
    const leases = new MemoryLeaseProvider();
    await leases.acquireLease('one', 'job-1', 60_000);
    const reason = new Error('stop');
    const controller = new AbortController();
    const waiting = waitForLease(sourceOf(leases, how), ['one'], FREE, {
      timeoutMs: 10_000,
      signal: controller.signal,
    });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test('another owner is a change, and the same one with more time is none', async () => {
    const leases = new MemoryLeaseProvider();
    await leases.acquireLease('one', 'job-1', 30_000);
    let isOver = false;
    const waiting = waitForLease(
      sourceOf(leases, how),
      ['one'],
      { until: 'changed' },
      { timeoutMs: 10_000 },
    ).finally(() => {
      isOver = true;
    });
    await leases.renewLease('one', 'job-1', 60_000);
    await expect(waitFor(() => isOver, { deadlineMs: 100 })).rejects.toThrow();
    await leases.transferLease('one', 'job-1', 'job-2', 60_000);
    expect((await waiting).met).toBe(true);
  });
});

describe('what cannot be read is never free', () => {
  const failing = (error: Error) => ({
    readLease: async (): Promise<SeenLease | undefined> => {
      throw error;
    },
  });

  test.each([0, 100])('it ends with what the last look failed with, after %d ms', async (timeoutMs) => {
    for (const error of [new UnreachableError('away'), new UnverifiedError('a replica?')]) {
      await expect(waitForLease(failing(error), ['one'], FREE, { timeoutMs })).rejects.toBe(error);
    }
  });

  test('it ends at once with what waiting does not mend', async () => {
    const error = new NotPermittedError('no');
    await expect(waitForLease(failing(error), ['one'], FREE, { timeoutMs: 10_000 })).rejects.toBe(error);
  });

  test('a look that never ends is none', async () => {
    const silent = { readLease: () => new Promise<undefined>(() => {}) };
    await expect(waitForLease(silent, ['one'], FREE, { timeoutMs: 50 })).rejects.toBeInstanceOf(
      UnreachableError,
    );
  });
});
