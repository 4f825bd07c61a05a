import { describe, expect, it } from 'vitest';
import type { ContractSuite } from './contract-suite.js';

const TTL_MS = 20_000;
/** What may have passed of a TTL that was given just now: tests run on busy machines. */
const AT_MOST_PASSED_MS = 10_000;

export function describeVerbs(suite: ContractSuite): void {
  describe('acquire', () => {
    it('claims a free key, and names the caller', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      expect(await leases.acquireLease(key, 'a', TTL_MS)).toEqual({ acquired: true, owner: 'a' });
      expect(await leases.getLeaseOwner(key)).toBe('a');
    });

    it('reports a claim as done and not as a refresh, with the whole TTL left', async () => {
      const leases = suite.open();
      const report = await leases.tryAcquire(suite.freshKey(), 'a', TTL_MS);
      expect(report).toEqual({ done: true, holder: 'a', remainingMs: expect.any(Number), refreshed: false });
      expectFullTtl(report.remainingMs);
    });

    it('refuses a key that another owner holds, names the holder and leaves its lease alone', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.acquireLease(key, 'b', TTL_MS * 10)).toEqual({ acquired: false, owner: 'a' });
      const report = await leases.tryAcquire(key, 'b', TTL_MS * 10);
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
      expect(await leases.getLeaseOwner(key)).toBe('a');
    });

    it('claims again for the same owner and refreshes the TTL, up or down', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      expect(await leases.acquireLease(key, 'a', TTL_MS)).toEqual({ acquired: true, owner: 'a' });
      expectFullTtl((await leases.readLease(key))?.remainingMs);
      const shortened = await leases.tryAcquire(key, 'a', 5_000);
      expect(shortened).toMatchObject({ done: true, holder: 'a', refreshed: true });
      expect(shortened.remainingMs).toBeLessThanOrEqual(5_000);
    });

    it('takes an owner that differs by case, a space or a longer tail for another owner', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'run-1', TTL_MS);
      for (const other of ['RUN-1', 'run-1 ', ' run-1', 'run-11', 'run-', 'run-1\0']) {
        expect(await leases.acquireLease(key, other, TTL_MS)).toEqual({ acquired: false, owner: 'run-1' });
      }
    });
  });

  describe('release', () => {
    it('by the owner frees the key for anyone', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.releaseLease(key, 'a')).toBeUndefined();
      expect(await leases.getLeaseOwner(key)).toBeUndefined();
      expect(await leases.tryAcquire(key, 'b', TTL_MS)).toMatchObject({ done: true, refreshed: false });
    });

    it('by the owner reports that nobody holds the key afterwards', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.tryRelease(key, 'a')).toEqual({ done: true });
      expect(await leases.tryRelease(key, 'a')).toEqual({ done: false });
    });

    it('by anyone else does nothing, and reports the holder', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.releaseLease(key, 'b')).toBeUndefined();
      const report = await leases.tryRelease(key, 'b');
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
      expect(await leases.getLeaseOwner(key)).toBe('a');
    });

    it('of a key that nobody holds does nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      expect(await leases.releaseLease(key, 'a')).toBeUndefined();
      expect(await leases.tryRelease(key, 'a')).toEqual({ done: false });
      expect(await leases.readLease(key)).toBeUndefined();
    });

    it('by an earlier owner does not touch the lease of the next one', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      await leases.releaseLease(key, 'a');
      await leases.acquireLease(key, 'b', TTL_MS);
      await leases.releaseLease(key, 'a');
      expect(await leases.getLeaseOwner(key)).toBe('b');
    });
  });

  describe('renew', () => {
    it('by the owner gives the whole TTL again', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      expect(await leases.renewLease(key, 'a', TTL_MS)).toBe(true);
      expectFullTtl((await leases.readLease(key))?.remainingMs);
      const report = await leases.tryRenew(key, 'a', TTL_MS);
      expect(report).toEqual({ done: true, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('by anyone else is refused, names the holder and changes nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.renewLease(key, 'b', TTL_MS * 10)).toBe(false);
      const report = await leases.tryRenew(key, 'b', TTL_MS * 10);
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('of a key that nobody holds is refused and creates nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      expect(await leases.renewLease(key, 'a', TTL_MS)).toBe(false);
      expect(await leases.tryRenew(key, 'a', TTL_MS)).toEqual({ done: false });
      expect(await leases.readLease(key)).toBeUndefined();
    });

    it('after the release is refused and revives nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      await leases.releaseLease(key, 'a');
      expect(await leases.renewLease(key, 'a', TTL_MS)).toBe(false);
      expect(await leases.readLease(key)).toBeUndefined();
    });
  });

  describe('transfer', () => {
    it('by the owner moves the lease with the whole TTL', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      expect(await leases.transferLease(key, 'a', 'b', TTL_MS)).toBe(true);
      const lease = await leases.readLease(key);
      expect(lease).toEqual({ key, owner: 'b', remainingMs: expect.any(Number) });
      expectFullTtl(lease?.remainingMs);
    });

    it('leaves the earlier owner nothing to renew, release or transfer', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.tryTransfer(key, 'a', 'b', TTL_MS)).toMatchObject({ done: true, holder: 'b' });
      expect(await leases.renewLease(key, 'a', TTL_MS)).toBe(false);
      await leases.releaseLease(key, 'a');
      expect(await leases.transferLease(key, 'a', 'c', TTL_MS)).toBe(false);
      expect(await leases.getLeaseOwner(key)).toBe('b');
      expect(await leases.renewLease(key, 'b', TTL_MS)).toBe(true);
    });

    it('from anyone but the owner is refused, names the holder and changes nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.transferLease(key, 'b', 'c', TTL_MS * 10)).toBe(false);
      // Not even to the one who holds it.
      const report = await leases.tryTransfer(key, 'b', 'a', TTL_MS * 10);
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('of a key that nobody holds is refused and creates nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      expect(await leases.transferLease(key, 'a', 'b', TTL_MS)).toBe(false);
      expect(await leases.tryTransfer(key, 'a', 'b', TTL_MS)).toEqual({ done: false });
      expect(await leases.readLease(key)).toBeUndefined();
    });

    it('to oneself keeps the lease and refreshes it', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      expect(await leases.transferLease(key, 'a', 'a', TTL_MS)).toBe(true);
      expectFullTtl((await leases.readLease(key))?.remainingMs);
    });
  });

  describe('read', () => {
    it('answers nothing for a key that nobody ever held', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      expect(await leases.getLeaseOwner(key)).toBeUndefined();
      expect(await leases.readLease(key)).toBeUndefined();
    });
  });
}

function expectFullTtl(remainingMs: number | null | undefined): void {
  expect(remainingMs).toSatisfy(Number.isInteger);
  expect(remainingMs).toBeLessThanOrEqual(TTL_MS);
  expect(remainingMs).toBeGreaterThan(TTL_MS - AT_MOST_PASSED_MS);
}
