import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SeenLease } from '../../../src/lease/inspector.js';
import { leaseId } from '../../../src/lease/lease-id.js';
import type { PolledChange } from '../../../src/lease/poll-leases.js';
import { LeaseTracker } from '../../../src/operations/lease-tracker.js';
import type { WatchEvent } from '../../../src/operations/watch-event.js';

const WALL_MS = 1_790_000_000_000;
/** Two readings of one countdown may differ by so much, and what is told is in whole milliseconds. */
const TOLERANCE_MS = 51;

/** Who holds what, and until when, on the monotonic clock; `null` never, `undefined` cannot be told. */
type State = Map<string, { readonly owner: string; readonly endsAtMs: number | null | undefined }>;

const endOf = (fromMs: number, remainingMs: number | null | undefined) =>
  typeof remainingMs === 'number' ? fromMs + remainingMs : remainingMs;

/** What the changes say, by the letter of what a watcher promises. */
class ByChanges {
  state: State = new Map();
  #collecting: State | undefined;

  get isCollecting(): boolean {
    return this.#collecting !== undefined;
  }

  apply(change: PolledChange<SeenLease>): void {
    const state = this.#collecting ?? this.state;
    if (change.kind === 'snapshot-start') this.#collecting = new Map();
    if (change.kind === 'stale') this.#collecting = undefined;
    if (change.kind === 'snapshot-end') {
      this.state = this.#collecting ?? new Map();
      this.#collecting = undefined;
    }
    if (change.kind === 'free') for (const key of change.keys) state.delete(key);
    if (change.kind !== 'held') return;
    for (const lease of change.leases) {
      const endsAtMs = endOf(change.readAtMs, lease.remainingMs);
      state.set(leaseId(lease), { owner: lease.owner, endsAtMs });
    }
  }
}

/** What the events say, to someone who knows nothing else. */
function applyEvent(state: State, event: WatchEvent): State {
  if (event.type === 'backend-up' || event.type === 'backend-down') return state;
  const fromMs = event.atMs - WALL_MS;
  if (event.type === 'snapshot') {
    return new Map(
      event.leases.map((lease) => [
        leaseId(lease),
        { owner: lease.owner, endsAtMs: endOf(fromMs, lease.remainingMs) },
      ]),
    );
  }
  const { type, owner, previousOwner, remainingMs, isInferred } = event;
  const id = leaseId(event);
  const known = state.get(id);
  if (!isInferred) {
    if (type === 'acquired') expect(known).toBeUndefined();
    if (type === 'transferred') expect(known?.owner).toBe(previousOwner);
    if (type === 'renewed' || type === 'no-expiry') expect(known?.owner).toBe(owner);
  }
  if (type === 'released' || type === 'expired') state.delete(id);
  else state.set(id, { owner, endsAtMs: endOf(fromMs, remainingMs) });
  return state;
}

const key = fc.constantFrom('user\0a', 'user\0b', 'user\0c', 'deploy', 'owner-only');
const lease = fc
  .record({
    key,
    owner: fc.constantFrom('run-1', 'run-2'),
    remainingMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { freq: 6 }),
  })
  .map(({ remainingMs, ...held }) => (held.key === 'owner-only' ? held : { ...held, remainingMs }));
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(lease, { minLength: 1, maxLength: 3 }).map((leases) => ({ leases })) },
  { weight: 3, arbitrary: key.map((free) => ({ free })) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 9_000 }).map((passMs) => ({ passMs })) },
  { weight: 1, arbitrary: fc.array(lease, { maxLength: 5 }).map((snapshot) => ({ snapshot })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'snapshot-start' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'snapshot-end' } as const) },
  { weight: 1, arbitrary: fc.constantFrom('refused', 'timed out').map((stale) => ({ stale })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ how: 'pushed' } as const, { how: 'polling', intervalMs: 2_000 } as const),
  },
);

it('what the events say in sum is what the changes said, whatever happens in which order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tracker = new LeaseTracker({ threadTtlMs: 15_000 });
      const changes = new ByChanges();
      let nowMs = 1_000;
      let events: State = new Map();
      const moment = () => ({ monotonicMs: nowMs, wallMs: WALL_MS + nowMs });
      const tell = (told: readonly WatchEvent[]) => {
        for (const event of told) events = applyEvent(events, event);
      };
      const apply = (change: PolledChange<SeenLease>) => {
        changes.apply(change);
        tell(tracker.apply(change, moment()));
      };
      apply({ kind: 'snapshot-start' });
      apply({ kind: 'snapshot-end' });
      for (const one of steps) {
        if ('leases' in one) apply({ kind: 'held', leases: one.leases, readAtMs: nowMs });
        else if ('free' in one) apply({ kind: 'free', keys: [one.free], readAtMs: nowMs });
        else if ('stale' in one) apply({ kind: 'stale', reason: one.stale });
        else if ('how' in one) apply({ kind: 'live', ...one, commandsPerSecond: 1 });
        else if ('kind' in one) apply(one);
        else if ('passMs' in one) {
          nowMs += one.passMs;
          tell(tracker.overdue(moment()));
        } else {
          apply({ kind: 'snapshot-start' });
          apply({ kind: 'held', leases: one.snapshot, readAtMs: nowMs });
          apply({ kind: 'snapshot-end' });
        }
        if (!changes.isCollecting) expectSame(events, changes.state, nowMs);
      }
    }),
    { numRuns: 1_000 },
  );
});

function expectSame(events: State, changes: State, nowMs: number): void {
  const owners = (state: State) => [...state].map(([id, { owner }]) => [id, owner].join(' ')).sort();
  expect(owners(events)).toEqual(owners(changes));
  for (const [id, { endsAtMs }] of changes) {
    const told = events.get(id)?.endsAtMs;
    if (typeof endsAtMs !== 'number' || typeof told !== 'number') expect(told).toBe(endsAtMs);
    // What is over is over: by how much is not told.
    else
      expect(Math.abs(Math.max(told, nowMs) - Math.max(endsAtMs, nowMs))).toBeLessThanOrEqual(TOLERANCE_MS);
  }
}
