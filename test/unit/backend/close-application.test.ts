import { expect, test } from 'vitest';
import { closeApplication } from '../../../src/backend/close-application.js';
import { systemClock } from '../../../src/lease/clock.js';

/** A clock on which the time to close is over as soon as it is looked at again. */
function hastyClock() {
  let nowMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => {
      nowMs += 990;
      return nowMs;
    },
  };
}

test('a backend is flushed and then closed, as itself', async () => {
  const calls: unknown[] = [];
  class Backend {
    async flush() {
      await Promise.resolve();
      calls.push([this, 'flush']);
    }
    close() {
      calls.push([this, 'close']);
    }
  }
  const backend = new Backend();
  await closeApplication(backend, systemClock);
  expect(calls).toEqual([
    [backend, 'flush'],
    [backend, 'close'],
  ]);
});

test.each([[undefined], [null], ['redis://'], [{}], [{ close: 'later' }], [Object.create(null)]])(
  'what has nothing to close is left alone: %o',
  async (backend) => {
    await expect(closeApplication(backend, systemClock)).resolves.toBeUndefined();
  },
);

test('one that fails at it, in whatever way, ends the command all the same, and is still closed', async () => {
  let closed = 0;
  const failing = [
    { flush: () => Promise.reject(new Error('no')), close: () => closed++ },
    {
      flush() {
        throw new Error('no');
      },
      close: () => closed++,
    },
    {
      get flush() {
        throw new Error('no');
      },
      close: () => closed++,
    },
  ];
  for (const backend of failing) await closeApplication(backend, systemClock);
  expect(closed).toBe(failing.length);
});

test('one that never ends is not waited for', async () => {
  let closed = 0;
  const backend = {
    flush: () => new Promise(() => {}),
    close: () => {
      closed += 1;
      return new Promise(() => {});
    },
  };
  await closeApplication(backend, hastyClock());
  expect(closed).toBe(1);
});
