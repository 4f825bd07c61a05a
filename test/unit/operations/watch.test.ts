import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/lease/backend.js';
import { systemClock } from '../../../src/lease/clock.js';
import { watchEvents } from '../../../src/operations/watch.js';
import type { WatchEvent } from '../../../src/operations/watch-event.js';
import type { WatchFilter } from '../../../src/operations/watch-filter.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';
import { waitFor } from '../../support/wait-for.js';

let leases: MemoryLeaseProvider;
let stopping: AbortController;

beforeEach(() => {
  leases = new MemoryLeaseProvider();
  stopping = new AbortController();
});
afterEach(async () => {
  stopping.abort();
  await leases.close();
});

/** A backend that tells changes, or one that lists, or one that keeps the contract alone. */
function contextOf(kind: 'watcher' | 'lister' | 'contract') {
  const readLease: Backend['readLease'] = async (key) => {
    if (kind !== 'contract') return leases.readLease(key);
    const owner = await leases.getLeaseOwner(key);
    return owner === undefined ? undefined : { key, owner };
  };
  const lister = {
    readLease: (key: string) => leases.readLease(key),
    listLeases: () => leases.listLeases(),
  };
  const backend: Backend = {
    provider: leases,
    ...(kind === 'watcher' && { inspector: leases }),
    ...(kind === 'lister' && { inspector: lister }),
    readLease,
    source: () => ({ backend: 'test', foundBy: '--backend' }),
    close: async () => {},
  };
  return { backend, clock: systemClock };
}

interface Watching {
  readonly events: readonly WatchEvent[];
  /** Waits until an event is told. */
  until(type: WatchEvent['type']): Promise<void>;
  readonly ended: Promise<void>;
}

function watch(
  kind: 'watcher' | 'lister' | 'contract',
  request: { readonly keys?: readonly string[]; readonly filter?: WatchFilter } = {},
): Watching {
  const events: WatchEvent[] = [];
  const run = async () => {
    const watching = watchEvents(contextOf(kind), {
      ...request,
      threadTtlMs: 15_000,
      signal: stopping.signal,
    });
    for await (const event of watching) events.push(event);
  };
  const ended = run();
  ended.catch(() => {});
  return {
    events,
    ended,
    until: async (type) => {
      await waitFor(() => events.some((event) => event.type === type), {
        what: `a ${type}`,
        deadlineMs: 8_000,
      });
    },
  };
}

const words = (events: readonly WatchEvent[]) =>
  events.map((event) => ('owner' in event ? `${event.type} ${event.owner}` : event.type));

it('tells the state, then what happens, until it is stopped', async () => {
  await leases.acquireLease('user\0a', 'run-1', 15_000);
  const watching = watch('watcher');
  await watching.until('backend-up');
  await leases.transferLease('user\0a', 'run-1', 'run-2', 15_000);
  await watching.until('transferred');
  await leases.releaseLease('user\0a', 'run-2');
  await watching.until('released');
  stopping.abort();
  await watching.ended;
  expect(words(watching.events)).toEqual(['snapshot', 'backend-up', 'transferred run-2', 'released run-2']);
});

it('tells by the passing of time alone that a lease is late, then that it has expired', async () => {
  const watching = watch('watcher');
  await watching.until('backend-up');
  await leases.acquireLease('user\0a', 'run-1', 1_200);
  await watching.until('expired');
  expect(words(watching.events).slice(2)).toEqual(['acquired run-1', 'late run-1', 'expired run-1']);
});

it('ends what it watches with when the listener leaves, also while nothing happens', async () => {
  const watching = watchEvents(contextOf('watcher'), { threadTtlMs: 15_000, signal: stopping.signal });
  expect((await watching.next()).value).toMatchObject({ type: 'snapshot' });
  expect((await watching.next()).value).toMatchObject({ type: 'backend-up' });
  const next = watching.next();
  await setImmediate();
  stopping.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  for await (const event of watchEvents(contextOf('watcher'), {
    threadTtlMs: 15_000,
    signal: new AbortController().signal,
  })) {
    if (event.type === 'backend-up') break;
  }
});

describe('an inspector that only lists', () => {
  it('is asked again and again', async () => {
    await leases.acquireLease('user\0a', 'run-1', 60_000);
    const watching = watch('lister');
    await watching.until('backend-up');
    await leases.transferLease('user\0a', 'run-1', 'run-2', 60_000);
    await watching.until('transferred');
    expect(watching.events.slice(1)).toEqual([
      expect.objectContaining({ type: 'backend-up', how: 'polling', intervalMs: 2_000 }),
      expect.objectContaining({ type: 'transferred', owner: 'run-2', isInferred: true }),
    ]);
  });
});

describe('a provider that keeps the contract alone', () => {
  it('is watched for the keys that are named, and never said how long is left', async () => {
    await leases.acquireLease('deploy', 'job-1', 60_000);
    const watching = watch('contract', { keys: ['deploy', 'other'] });
    await watching.until('backend-up');
    await leases.releaseLease('deploy', 'job-1');
    await watching.until('released');
    expect(watching.events).toEqual([
      expect.objectContaining({
        leases: [{ key: 'deploy', owner: 'job-1' }],
      }),
      expect.objectContaining({ type: 'backend-up', how: 'polling' }),
      expect.objectContaining({ type: 'released', owner: 'job-1' }),
    ]);
  });

  it('cannot be watched without', async () => {
    await expect(watch('contract').ended).rejects.toMatchObject({ code: 'ERR_LEASE_UNSUPPORTED' });
  });
});

it('lets through what a filter means', async () => {
  await leases.acquireLease('user\0a', 'run-1', 15_000);
  await leases.acquireLease('user\0b', 'run-2', 15_000);
  const watching = watch('watcher', { filter: { thread: 'b' } });
  await watching.until('backend-up');
  await leases.releaseLease('user\0a', 'run-1');
  await leases.releaseLease('user\0b', 'run-2');
  await watching.until('released');
  expect(words(watching.events)).toEqual(['snapshot', 'backend-up', 'released run-2']);
});
