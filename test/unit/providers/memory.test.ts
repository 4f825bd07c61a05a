import { describe, expect, it } from 'vitest';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';

describe('the memory provider', () => {
  it('says that its leases live in this process, and that it transfers atomically', () => {
    expect(new MemoryLeaseProvider().leaseTraits).toEqual({ atomicTransfer: true, scope: 'process' });
  });

  it('shares nothing with another instance', async () => {
    const [one, two] = [new MemoryLeaseProvider(), new MemoryLeaseProvider()];
    await one.acquireLease('k', 'a', 1_000);
    expect(await two.getLeaseOwner('k')).toBeUndefined();
  });

  it('ends a lease exactly when its TTL is over, and rounds what is left up until then', async () => {
    let nowMs = 100.25;
    const leases = new MemoryLeaseProvider({ clock: { monotonicMs: () => nowMs } });
    await leases.acquireLease('k', 'a', 10);
    for (const [passedMs, remainingMs] of [
      [0, 10],
      [0.5, 10],
      [1, 9],
      [9.9, 1],
    ] as const) {
      nowMs = 100.25 + passedMs;
      expect(await leases.readLease('k')).toEqual({ key: 'k', owner: 'a', remainingMs });
    }
    nowMs = 110.25;
    expect(await leases.readLease('k')).toBeUndefined();
  });

  it('ends a listing that is under way when it is closed', async () => {
    const leases = new MemoryLeaseProvider();
    for (const key of ['x', 'y', 'z']) await leases.acquireLease(key, 'a', 1_000);
    const listing = (async () => {
      for await (const _lease of leases.listLeases()) await leases.close();
    })();
    await expect(listing).rejects.toMatchObject({ code: 'ERR_LEASE_CLOSED' });
  });

  it('forgets what has expired, so that keys nobody asks for again do not pile up', async () => {
    let nowMs = 0;
    const leases = new MemoryLeaseProvider({ clock: { monotonicMs: () => nowMs } });
    for (let index = 0; index < 2_000; index += 1) {
      await leases.acquireLease(`k${index}`, 'a', 10);
      nowMs += 1;
    }
    let scannedKeys = 0;
    for await (const _lease of leases.listLeases({ onProgress: (progress) => ({ scannedKeys } = progress) }));
    expect(scannedKeys).toBeLessThan(300);
  });
});
