import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import {
  ClosedError,
  InvalidConfigError,
  UnreachableError,
  UnverifiedError,
} from '../../../src/lease/errors.js';
import type { SeenLease } from '../../../src/lease/inspector.js';
import { type PolledSource, type PollOptions, pollLeases } from '../../../src/lease/poll-leases.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';
import { waitFor } from '../../support/wait-for.js';
import { WatchedView } from '../../support/watched-view.js';

const INTERVAL_MS = 100;

function poll(source: PolledSource<SeenLease>, { keys, ...options }: Partial<PollOptions> = {}): WatchedView {
  return WatchedView.of(
    (watching) => pollLeases(source, { intervalMs: INTERVAL_MS, ...options, ...watching }),
    keys ? { keys } : {},
  );
}

/** What was told of leases, in order. */
function toldOf(view: WatchedView): readonly string[] {
  return view.changes.flatMap((change) => {
    if (change.kind === 'held') return change.leases.map(({ key, owner }) => `${key}=${owner}`);
    return change.kind === 'free' ? change.keys.map((key) => `${key} free`) : [change.kind];
  });
}

/** Leases whose reading can be made to fail. */
class FailingSource implements PolledSource<SeenLease> {
  readonly leases = new MemoryLeaseProvider();
  failure: Error | undefined;
  looks = 0;

  async readLease(key: string) {
    if (this.failure) throw this.failure;
    return this.leases.readLease(key);
  }

  async *listLeases() {
    this.looks += 1;
    yield* this.leases.listLeases();
    if (this.failure) throw this.failure;
  }
}

test('a snapshot, then what is different: claims, transfers, renewals, releases; nothing where nothing is', async () => {
  const source = new FailingSource();
  const { leases } = source;
  await leases.acquireLease('a', 'o', 60_000);
  await leases.acquireLease('b', 'o', 60_000);
  const view = poll(source);
  await view.untilLive();
  expect(view.live).toEqual({ kind: 'live', how: 'polling', intervalMs: INTERVAL_MS, commandsPerSecond: 10 });
  const looks = source.looks;
  await waitFor(() => source.looks >= looks + 3);
  expect(toldOf(view)).toEqual(['snapshot-start', 'a=o', 'b=o', 'snapshot-end', 'live']);
  await leases.acquireLease('c', 'o', 60_000);
  await view.until(() => view.leases.has('c'));
  await leases.transferLease('a', 'o', 'p', 60_000);
  await view.until(() => view.leases.get('a')?.owner === 'p');
  await leases.renewLease('b', 'o', 90_000);
  await view.until(() => Number(view.leases.get('b')?.remainingMs) > 60_000);
  await leases.releaseLease('c', 'o');
  await view.until(() => !view.leases.has('c'));
  expect(toldOf(view).slice(5)).toEqual(['c=o', 'a=p', 'b=o', 'c free']);
});

test('a lease is looked at once at its end, long before the next look', async () => {
  const leases = new MemoryLeaseProvider();
  await leases.acquireLease('short', 'o', 300);
  await leases.acquireLease('renewed', 'o', 300);
  const view = poll(leases, { intervalMs: 60_000 });
  await view.untilLive();
  await leases.renewLease('renewed', 'o', 60_000);
  await view.until(() => view.freedAtMs.has('short'));
  await view.until(() => Number(view.leases.get('renewed')?.remainingMs) > 1_000);
  expect(view.held).toEqual(['renewed=o']);
});

test('a failure is told once as stale, and after it there is a snapshot; nothing is told free by it', async () => {
  const source = new FailingSource();
  await source.leases.acquireLease('a', 'o', 60_000);
  await source.leases.acquireLease('ends', 'o', 60_000);
  const view = poll(source);
  await view.untilLive();
  source.failure = new UnreachableError('list: no answer from x (connection refused); nothing was changed');
  await view.until(() => view.staleFor);
  expect(view.staleFor).toBe('list: no answer from x (connection refused)');
  await source.leases.releaseLease('ends', 'o');
  const { looks } = source;
  await waitFor(() => source.looks >= looks + 3);
  source.failure = new UnverifiedError('nothing was seen');
  await view.until(() => view.staleFor === 'nothing was seen');
  source.failure = undefined;
  await view.untilLive();
  expect(view.held).toEqual(['a=o']);
  expect(toldOf(view).slice(5)).toEqual(['stale', 'stale', 'snapshot-start', 'a=o', 'snapshot-end', 'live']);
  expect(view.freedAtMs.size).toBe(0);
});

test('a failure that waiting does not mend ends it before anything was seen, and only then', async () => {
  const source = new FailingSource();
  source.failure = new InvalidConfigError('no such file');
  const view = poll(source);
  await waitFor(() => view.end);
  expect(view.end).toBe(source.failure);
  source.failure = undefined;
  const second = poll(source);
  await second.untilLive();
  source.failure = new InvalidConfigError('no such file');
  await second.until(() => second.staleFor === 'no such file');
  source.failure = new ClosedError('closed');
  await waitFor(() => second.end);
  expect(second.end).toBe(source.failure);
});

test('a reading of an end that fails is stale, not free', async () => {
  const source = new FailingSource();
  await source.leases.acquireLease('short', 'o', 150);
  const view = poll(source, { intervalMs: 60_000 });
  await view.untilLive();
  source.failure = new UnreachableError('gone');
  await view.until(() => view.staleFor);
  expect(view.freedAtMs.size).toBe(0);
  expect(view.held).toEqual(['short=o']);
});

test('named keys are each read, of a provider that tells owners alone too', async () => {
  const leases = new MemoryLeaseProvider();
  const read: string[] = [];
  const source = {
    async readLease(key: string): Promise<SeenLease | undefined> {
      read.push(key);
      const owner = await leases.getLeaseOwner(key);
      return owner === undefined ? undefined : { key, owner };
    },
  };
  await leases.acquireLease('a', 'o', 60_000);
  await leases.acquireLease('other', 'o', 60_000);
  const view = poll(source, { keys: ['a', 'b', 'a'], why: 'it tells owners alone' });
  await view.untilLive();
  expect(view.live).toMatchObject({ commandsPerSecond: 20, why: 'it tells owners alone' });
  expect([...view.leases.values()]).toEqual([{ key: 'a', owner: 'o' }]);
  await leases.acquireLease('b', 'o', 60_000);
  await leases.transferLease('a', 'o', 'p', 60_000);
  await view.until(() => view.held.join() === 'a=p,b=o');
  await leases.releaseLease('a', 'p');
  await view.until(() => view.held.join() === 'b=o');
  expect(new Set(read)).toEqual(new Set(['a', 'b']));
  const { length } = toldOf(view);
  const reads = read.length;
  await waitFor(() => read.length > reads + 4);
  expect(toldOf(view)).toHaveLength(length);
});

test('without keys, what cannot list cannot be polled', async () => {
  const view = poll({ readLease: async () => undefined });
  await waitFor(() => view.end);
  expect(view.end).toMatchObject({ code: 'ERR_LEASE_UNSUPPORTED' });
});

test('a look that takes long is followed by a longer pause', async () => {
  let looks = 0;
  const view = poll({
    readLease: async () => undefined,
    async *listLeases() {
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    },
  });
  await view.untilLive();
  const { live } = view;
  expect(live?.intervalMs).toBeGreaterThanOrEqual(450);
  await waitFor(() => looks === 3);
  expect(view.snapshots).toBe(1);
});

test('its signal ends it at once, while it waits and while a reading never ends', async () => {
  const silent = { readLease: () => new Promise<undefined>(() => {}) };
  const views = [poll(new MemoryLeaseProvider(), { intervalMs: 60_000 }), poll(silent, { keys: ['k'] })];
  await views[0]?.untilLive();
  await Promise.all(views.map((view) => view.stop()));
  for (const view of views) {
    expect(view.end).toBe('returned');
    expect(getEventListeners(view.signal, 'abort')).toEqual([]);
  }
});
