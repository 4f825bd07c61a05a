import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lease/clock.js';
import { NotPermittedError } from '../../../src/lease/errors.js';
import { DEFAULT_THRESHOLDS } from '../../../src/lease/verdict.js';
import {
  type InspectContext,
  type Inspection,
  inspectContext,
  look,
} from '../../../src/operations/inspect/inspect.js';
import { observe } from '../../../src/operations/inspect/observe.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';

const KEY = 'user-42\0abc';

let leases: MemoryLeaseProvider;
let context: InspectContext;

beforeEach(async () => {
  leases = new MemoryLeaseProvider();
  const backend = {
    provider: leases,
    inspector: leases,
    readLease: (key: string) => leases.readLease(key),
    source: () => ({ backend: 'memory:', foundBy: 'test' }),
    close: () => leases.close(),
  };
  context = inspectContext(
    { backend, clock: systemClock },
    { ttlMs: 15_000, thresholds: DEFAULT_THRESHOLDS },
  );
  await leases.tryAcquire(KEY, 'run-1', 10_000);
});
afterEach(() => leases.close());

interface Watching {
  readonly forMs?: number;
  readonly untilRenewed?: boolean;
  readonly signal?: AbortSignal;
}

/** Watches the key; `onSight` is called with each state, the first one before anything has happened. */
async function watch(
  onSight: (seen: Inspection, count: number) => unknown,
  { forMs = 400, untilRenewed = false, signal = new AbortController().signal }: Watching = {},
): Promise<readonly Inspection[]> {
  const first = await look(context, KEY);
  const seen: Inspection[] = [];
  const watching = observe(context, [first], { forMs, untilRenewed, signal });
  setTimeout(() => onSight(first, 0), 50);
  for await (const [inspection] of watching) {
    if (!inspection) continue;
    seen.push(inspection);
    await onSight(inspection, seen.length);
  }
  return seen;
}

describe('a lease that is watched', () => {
  it('is told anew with each renewal, and at last after another look', async () => {
    const seen = await watch(async (_, count) => {
      if (count >= 3) return;
      await sleep(60);
      await leases.tryRenew(KEY, 'run-1', 10_000 + count * 1_000);
    });
    expect(seen.map(({ facts }) => facts.renewals?.seen)).toEqual([1, 2, 3, 3]);
    expect(seen[1]?.facts.renewals?.intervalMs).toBeGreaterThanOrEqual(50);
    expect(seen.at(-1)?.facts.renewals?.watchedMs).toBeGreaterThanOrEqual(350);
    expect(seen.at(-1)?.facts.renewals?.lastAgoMs).toBeGreaterThan(0);
  });

  it('that is not renewed is told so after the time', async () => {
    const seen = await watch(() => {}, { forMs: 200 });
    expect(seen.map(({ facts }) => facts.renewals?.seen)).toEqual([0]);
    expect(seen[0]?.facts.renewals?.watchedMs).toBeGreaterThanOrEqual(150);
  });

  it('is left at the first renewal where that is enough', async () => {
    const startedAt = performance.now();
    const seen = await watch((_, count) => count === 0 && leases.tryRenew(KEY, 'run-1', 12_000), {
      forMs: 60_000,
      untilRenewed: true,
    });
    expect(seen.map(({ facts }) => facts.renewals?.seen)).toEqual([1, 1]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('that seems late, being of a shorter time than is assumed, is watched until it is seen to keep its pace', async () => {
    await leases.tryRenew(KEY, 'run-1', 6_000);
    const seen = await watch(
      async (_, count) => {
        await sleep(60);
        if (count < 2) await leases.tryRenew(KEY, 'run-1', 6_000);
      },
      { forMs: 60_000, untilRenewed: true },
    );
    expect(seen.map(({ facts }) => facts.renewals?.seen)).toEqual([1, 2, 2]);
    expect(seen.at(-1)?.judgement.verdict).toBe('unknown');
  });

  it('that goes to another owner begins anew', async () => {
    const seen = await watch(async (_, count) => {
      if (count === 0) await leases.tryRenew(KEY, 'run-1', 12_000);
      if (count === 1) await leases.tryTransfer(KEY, 'run-1', 'run-2', 12_000);
    });
    expect(seen.map(({ facts }) => [facts.lease?.owner, facts.renewals?.seen])).toEqual([
      ['run-1', 1],
      ['run-2', 0],
      ['run-2', 0],
    ]);
  });

  it('that is given back is free', async () => {
    const seen = await watch((_, count) => count === 0 && leases.tryRelease(KEY, 'run-1'), { forMs: 200 });
    expect(seen.map(({ facts }) => facts.lease)).toEqual([undefined, undefined]);
  });

  it('is not looked at again once it is left', async () => {
    const leaving = new AbortController();
    const seen = await watch(
      async (_, count) => {
        if (count === 0) await leases.tryRenew(KEY, 'run-1', 12_000);
        else leaving.abort();
      },
      { forMs: 60_000, signal: leaving.signal },
    );
    expect(seen.map(({ facts }) => facts.renewals?.seen)).toEqual([1]);
  });

  it('where nothing may be watched is told as it was, with the reason', async () => {
    const forbidden = {
      ...leases,
      readLease: (key: string) => leases.readLease(key),
      listLeases: () => leases.listLeases(),
      // biome-ignore lint/correctness/useYield: it is refused before anything is told
      async *watchLeases() {
        throw new NotPermittedError('no watching');
      },
    };
    const blind = { ...context, backend: { ...context.backend, inspector: forbidden } };
    const seen: Inspection[] = [];
    const request = { forMs: 60_000, untilRenewed: false, signal: new AbortController().signal };
    for await (const states of observe(blind, [await look(context, KEY)], request)) seen.push(...states);
    expect(seen).toMatchObject([
      { facts: { lease: { owner: 'run-1' } }, watchError: { message: 'no watching' } },
    ]);
    expect(seen[0]?.facts.renewals).toBeUndefined();
  });
});
