import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/lease/clock.js';
import { Countdown } from '../../../src/lease/countdown.js';
import { waitFor } from '../../support/wait-for.js';

interface Started {
  readonly countdown: Countdown;
  /** The ids that were due, in order, with the moment of the clock. */
  readonly due: { readonly id: string; readonly atMs: number }[];
}

function start(clock: { monotonicMs(): number } = systemClock): Started {
  const due: Started['due'] = [];
  const countdown = new Countdown({
    clock,
    onDue: (ids) => due.push(...ids.map((id) => ({ id, atMs: clock.monotonicMs() }))),
  });
  onTestFinished(() => countdown.clear());
  return { countdown, due };
}

test('each lease is due once, at its end and in the order of the ends', async () => {
  const { countdown, due } = start();
  const nowMs = systemClock.monotonicMs();
  const ends = new Map([120, 40, 200, 80, 160].map((leftMs) => [`in ${leftMs}`, nowMs + leftMs]));
  for (const [id, endsAtMs] of ends) countdown.set(id, endsAtMs);
  await waitFor(() => due.length === 5);
  expect(due.map(({ id }) => id)).toEqual(['in 40', 'in 80', 'in 120', 'in 160', 'in 200']);
  for (const { id, atMs } of due) expect(atMs).toBeGreaterThanOrEqual(ends.get(id) ?? Number.NaN);
  expect(countdown.size).toBe(5);
});

test('one that is renewed, forgotten or without an end is not due', async () => {
  const { countdown, due } = start();
  const nowMs = systemClock.monotonicMs();
  for (const id of ['renewed', 'forgotten', 'for ever', 'last']) countdown.set(id, nowMs + 50);
  countdown.set('renewed', nowMs + 60_000);
  countdown.set('for ever', null);
  countdown.set('last', nowMs + 100);
  expect(countdown.delete('forgotten')).toBe(true);
  expect(countdown.delete('forgotten')).toBe(false);
  await waitFor(() => due.length > 0);
  expect(due.map(({ id }) => id)).toEqual(['last']);
  expect([...countdown.ids()].sort()).toEqual(['for ever', 'last', 'renewed']);
});

test('one that ends sooner than it was known to is due sooner', async () => {
  const { countdown, due } = start();
  const nowMs = systemClock.monotonicMs();
  countdown.set('k', nowMs + 60_000);
  countdown.set('k', nowMs + 30);
  await waitFor(() => due.length === 1);
});

test('one that is over already is due at once', async () => {
  const { countdown, due } = start();
  countdown.set('k', systemClock.monotonicMs() - 60_000);
  await waitFor(() => due.length === 1);
});

test('one that is still there at its end is due again, shortly after and not at once', async () => {
  const { countdown, due } = start();
  countdown.set('k', systemClock.monotonicMs());
  await waitFor(() => due.length === 1);
  const setAtMs = systemClock.monotonicMs();
  countdown.set('k', setAtMs);
  await waitFor(() => due.length === 2);
  expect((due[1]?.atMs ?? 0) - setAtMs).toBeGreaterThanOrEqual(20);
});

test('a timer that fires before the clock says so waits on', async () => {
  let nowMs = 0;
  const { countdown, due } = start({ monotonicMs: () => nowMs });
  countdown.set('k', 40);
  countdown.set('far', 60_000);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(due).toEqual([]);
  nowMs = 50;
  await waitFor(() => due.length === 1);
  nowMs = 70_000;
  countdown.set('now', 0);
  await waitFor(() => due.length === 3);
});

test('however many there are, there is one timer, and none once they are cleared', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const { countdown, due } = start();
  const nowMs = systemClock.monotonicMs();
  for (let index = 0; index < 10_000; index += 1) countdown.set(`k${index}`, nowMs + 5_000 + (index % 97));
  expect(timers()).toBeLessThanOrEqual(before + 1);
  countdown.clear();
  expect(timers()).toBeLessThanOrEqual(before);
  expect(countdown.size).toBe(0);
  expect(due).toEqual([]);
});

test('whatever is set, moved and forgotten, what is due comes in the order of the ends', async () => {
  let nowMs = 0;
  const operation = fc.record({
    id: fc.integer({ min: 0, max: 30 }),
    endsAtMs: fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: null }),
    isDeleted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 120 }), async (operations) => {
      nowMs = 0;
      const due: string[] = [];
      const clock = { monotonicMs: () => nowMs };
      const countdown = new Countdown({ clock, onDue: (ids) => due.push(...ids) });
      const model = new Map<string, number | null>();
      for (const { id, endsAtMs, isDeleted } of operations) {
        if (isDeleted) {
          expect(countdown.delete(String(id))).toBe(model.delete(String(id)));
        } else {
          countdown.set(String(id), endsAtMs);
          model.set(String(id), endsAtMs);
        }
      }
      const ends = [...model.values()].filter((endsAtMs) => endsAtMs !== null).sort((a, b) => a - b);
      nowMs = 10_000;
      // Due at once, and so is what was set before.
      countdown.set('now', 1);
      await waitFor(() => due.includes('now'), { everyMs: 1 });
      expect(due.filter((id) => id !== 'now').map((id) => model.get(id))).toEqual(ends);
      countdown.clear();
    }),
    { numRuns: 60 },
  );
});
