import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HEALTHS } from '../../src/lease/health.js';
import { LEASE_EVENTS, type WatchEvent } from '../../src/operations/watch-event.js';
import { compileFilter } from '../../src/tui/filter.js';
import { KEYMAP } from '../../src/tui/keymap.js';
import type { Size } from '../../src/tui/layout.js';
import { compareIn } from '../../src/tui/row-order.js';
import { layoutOfState, shownKnown, type TuiState } from '../../src/tui/state.js';
import { rowsOnScreen, selectedIndex } from '../../src/tui/table-view.js';
import { lease } from './events.js';
import { Run, START_MS } from './run-reducer.js';

const key = fc.constantFrom(
  'u\0a',
  'u\0b',
  'u\0c',
  'v\0a',
  'deploy',
  'schedule:x',
  'thread-claim:u\0a',
  '\u{1f1e9}\0é',
);
const owner = fc.constantFrom('run-1', 'run-2', 'x');
const remainingMs = fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: null });
const atMs = fc.integer({ min: START_MS, max: START_MS + 100_000 });

const event: fc.Arbitrary<WatchEvent> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom(...LEASE_EVENTS), atMs, key, owner, remainingMs }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('snapshot' as const),
      atMs,
      leases: fc.array(
        fc
          .record({ key, owner, remainingMs, health: fc.constantFrom(...HEALTHS) })
          .map(({ key, owner, ...more }) => lease(key, owner, more)),
        { maxLength: 8 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('backend-down' as const), atMs, reason: fc.string() }),
  },
  {
    weight: 1,
    arbitrary: atMs.map(
      (atMs) => ({ type: 'backend-up', atMs, how: 'pushed', commandsPerSecond: 1 }) as const,
    ),
  },
);

const names = KEYMAP.flatMap(({ keys }) => keys).filter((name) => name !== 'q');
const size: fc.Arbitrary<Size> = fc.record({
  columns: fc.integer({ min: 1, max: 200 }),
  rows: fc.integer({ min: 1, max: 14 }),
});

const doing = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(event, { maxLength: 6 }).map((events) => (run: Run) => run.see(...events)),
  },
  { weight: 4, arbitrary: fc.constantFrom(...names).map((name) => (run: Run) => run.press(name)) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(
        fc.string(),
        fc.constantFrom('run', 'health:late', 'kind:t', 'a', 'yes', 'owner:x ', '/__proto__:'),
      )
      .map((text) => (run: Run) => run.type(text)),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 9_000 }).map((ms) => (run: Run) => run.wait(ms)) },
  { weight: 1, arbitrary: size.map((size) => (run: Run) => run.do({ type: 'resized', size })) },
);

function checkState(state: TuiState): void {
  const known = shownKnown(state);
  const { view } = state;
  const ids = known.rows.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(state.known.counts).toEqual({
    total: state.known.rows.length,
    late: state.known.rows.filter(({ health }) => health === 'late').length,
    noExpiry: state.known.rows.filter(({ health }) => health === 'no-expiry').length,
  });
  const compare = compareIn(view.order);
  expect(view.sorted).toEqual(known.rows.toSorted(compare));
  const test = compileFilter(view.filter, view.onlyProblems);
  expect(view.shown).toEqual(test ? view.sorted.filter(test) : view.sorted);
  const height = layoutOfState(state).table;
  const index = selectedIndex(view);
  if (view.shown.length === 0) expect(index).toBe(-1);
  else {
    expect(index).toBeGreaterThanOrEqual(view.top);
    expect(index).toBeLessThan(Math.min(view.top + height, view.shown.length));
    if (view.selected) expect(view.shown[index]).toBe(view.selected);
  }
  expect(rowsOnScreen(view, height)).toHaveLength(Math.min(height, view.shown.length));
  expect(known.log.length).toBeLessThanOrEqual(2_000);
}

/** Who holds what after some events, by the plainest way to find out. */
function holders(events: readonly WatchEvent[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'snapshot') {
      held.clear();
      for (const { key, owner } of event.leases) held.set(key, owner);
    } else if (event.type === 'released' || event.type === 'expired') held.delete(event.key);
    else if ('key' in event) held.set(event.key, event.owner);
  }
  return held;
}

test('whatever happens and whatever is pressed, the table is what is known, and the selection is on the screen', () => {
  fc.assert(
    fc.property(fc.array(doing, { maxLength: 40 }), (doings) => {
      // Small enough that the table has to scroll.
      const run = new Run({ size: { columns: 80, rows: 9 } });
      for (const act of doings) {
        act(run);
        checkState(run.state);
      }
    }),
    { numRuns: 300 },
  );
});

test('the rows are who holds what, in whatever batches it becomes known', () => {
  fc.assert(
    fc.property(fc.array(fc.array(event, { maxLength: 8 }), { maxLength: 12 }), (batches) => {
      const run = new Run();
      for (const batch of batches) run.see(...batch);
      const rows = run.state.known.rows.map(({ key, owner }) => [key, owner] as const);
      expect(new Map(rows)).toEqual(holders(batches.flat()));
    }),
  );
});
