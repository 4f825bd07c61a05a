import { describe, expect, it } from 'vitest';
import type { ContractSuite } from './contract-suite.js';

const TTL_MS = 20_000;
/** What may have passed of a TTL that was given just now: tests run on busy machines. */
const AT_MOST_PASSED_MS = 10_000;

/** What the verbs report beyond the contract's answers, in the same round trip. */
export function describeReports(suite: ContractSuite): void {
  describe('the report of', () => {
    it('a claim says that it is done and no refresh, with the whole TTL left', async () => {
      const leases = suite.open();
      const report = await leases.tryAcquire(suite.freshKey(), 'a', TTL_MS);
      expect(report).toEqual({ done: true, holder: 'a', remainingMs: expect.any(Number), refreshed: false });
      expectFullTtl(report.remainingMs);
    });

    it('a refused claim names the holder and what is left to it', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      const report = await leases.tryAcquire(key, 'b', TTL_MS * 10);
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('a claim by the holder says that it refreshed the TTL, up or down', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      expect(await leases.acquireLease(key, 'a', TTL_MS)).toEqual({ acquired: true, owner: 'a' });
      expectFullTtl((await leases.readLease(key))?.remainingMs);
      const shortened = await leases.tryAcquire(key, 'a', 5_000);
      expect(shortened).toMatchObject({ done: true, holder: 'a', refreshed: true });
      expect(shortened.remainingMs).toBeLessThanOrEqual(5_000);
    });

    it('a claim after a release says that it is no refresh', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.releaseLease(key, 'a')).toBeUndefined();
      expect(await leases.tryAcquire(key, 'a', TTL_MS)).toMatchObject({ done: true, refreshed: false });
    });

    it('a release by the owner says that nobody holds the key afterwards', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      expect(await leases.tryRelease(key, 'a')).toEqual({ done: true });
      expect(await leases.tryRelease(key, 'a')).toEqual({ done: false });
      expect(await leases.readLease(key)).toBeUndefined();
    });

    it('a release by anyone else names the holder, whose lease is as it was', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      const report = await leases.tryRelease(key, 'b');
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('a renewal by the owner gives the whole TTL', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      expect(await leases.renewLease(key, 'a', TTL_MS)).toBe(true);
      expectFullTtl((await leases.readLease(key))?.remainingMs);
      const report = await leases.tryRenew(key, 'a', TTL_MS);
      expect(report).toEqual({ done: true, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('a renewal by anyone else names the holder', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      const report = await leases.tryRenew(key, 'b', TTL_MS * 10);
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('a transfer by the owner names the next owner, with the whole TTL', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      const report = await leases.tryTransfer(key, 'a', 'b', TTL_MS);
      expect(report).toEqual({ done: true, holder: 'b', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
      expect(await leases.readLease(key)).toEqual({ key, owner: 'b', remainingMs: expect.any(Number) });
    });

    it('a transfer from anyone else names the holder, even where the key would go to it', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      const report = await leases.tryTransfer(key, 'b', 'a', TTL_MS * 10);
      expect(report).toEqual({ done: false, holder: 'a', remainingMs: expect.any(Number) });
      expectFullTtl(report.remainingMs);
    });

    it('a transfer to oneself keeps the lease and refreshes it', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 5_000);
      expect(await leases.transferLease(key, 'a', 'a', TTL_MS)).toBe(true);
      expectFullTtl((await leases.readLease(key))?.remainingMs);
    });

    it('a renewal, a transfer or a release of nothing names nobody, and creates nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      expect(await leases.tryRenew(key, 'a', TTL_MS)).toEqual({ done: false });
      expect(await leases.tryTransfer(key, 'a', 'b', TTL_MS)).toEqual({ done: false });
      expect(await leases.tryRelease(key, 'a')).toEqual({ done: false });
      expect(await leases.readLease(key)).toBeUndefined();
    });
  });
}

function expectFullTtl(remainingMs: number | null | undefined): void {
  expect(remainingMs).toSatisfy(Number.isInteger);
  expect(remainingMs).toBeLessThanOrEqual(TTL_MS);
  expect(remainingMs).toBeGreaterThan(TTL_MS - AT_MOST_PASSED_MS);
}
