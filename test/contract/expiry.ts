import { describe, expect, it } from 'vitest';
import type { ContractSuite } from './contract-suite.js';

/** How far a lease's end may lie from its TTL, either way: clocks in whole milliseconds, on both sides. */
const TOLERANCE_MS = 50;
const TTL_MS = 400;
/** Long enough for a second call on a busy machine. */
const LONGER_TTL_MS = 600;
const STEP_MS = 20;

export function describeExpiry(suite: ContractSuite): void {
  describe('expiry', () => {
    it(`comes no earlier than ${TOLERANCE_MS} ms before the TTL is over, and no later than that after`, async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.readLease(key);
      const sentAt = suite.backend.nowMs();
      await leases.acquireLease(key, 'a', TTL_MS);
      const grantedAt = suite.backend.nowMs();
      for (;;) {
        const lease = await leases.readLease(key);
        if (suite.backend.nowMs() >= sentAt + TTL_MS - TOLERANCE_MS) break;
        expect(lease).toEqual({ key, owner: 'a', remainingMs: expect.any(Number) });
        await suite.backend.passTime(STEP_MS);
      }
      await suite.backend.passTime(grantedAt + TTL_MS + TOLERANCE_MS - suite.backend.nowMs());
      expect(await leases.readLease(key)).toBeUndefined();
      expect(await leases.getLeaseOwner(key)).toBeUndefined();
    });

    it('counts what is left down, in whole milliseconds that never reach 0', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      let before = TTL_MS;
      for (;;) {
        const lease = await leases.readLease(key);
        if (!lease) break;
        expect(lease.remainingMs).toSatisfy(Number.isInteger);
        expect(lease.remainingMs).toBeGreaterThanOrEqual(1);
        expect(lease.remainingMs).toBeLessThanOrEqual(before);
        before = lease.remainingMs ?? Number.NaN;
        await suite.backend.passTime(STEP_MS);
      }
    });

    it('frees the key for another owner', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 60);
      await suite.backend.passTime(60 + TOLERANCE_MS);
      expect(await leases.tryAcquire(key, 'b', 20_000)).toMatchObject({ done: true, holder: 'b' });
      await leases.releaseLease(key, 'a');
      expect(await leases.renewLease(key, 'a', 20_000)).toBe(false);
      expect(await leases.getLeaseOwner(key)).toBe('b');
    });

    it('makes the next claim of the same owner a new one, not a refresh', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 60);
      await suite.backend.passTime(60 + TOLERANCE_MS);
      expect(await leases.tryAcquire(key, 'a', 20_000)).toMatchObject({ done: true, refreshed: false });
    });

    it('is final: renew, transfer and release find nothing and revive nothing', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', 60);
      await suite.backend.passTime(60 + TOLERANCE_MS);
      expect(await leases.tryRenew(key, 'a', 20_000)).toEqual({ done: false });
      expect(await leases.renewLease(key, 'a', 20_000)).toBe(false);
      expect(await leases.tryTransfer(key, 'a', 'b', 20_000)).toEqual({ done: false });
      expect(await leases.transferLease(key, 'a', 'b', 20_000)).toBe(false);
      expect(await leases.tryRelease(key, 'a')).toEqual({ done: false });
      expect(await leases.readLease(key)).toBeUndefined();
    });

    it('is put off by each renewal and each transfer', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', LONGER_TTL_MS);
      await leases.renewLease(key, 'a', 20_000);
      await suite.backend.passTime(LONGER_TTL_MS + TOLERANCE_MS);
      expect(await leases.getLeaseOwner(key)).toBe('a');
      await leases.renewLease(key, 'a', LONGER_TTL_MS);
      await leases.transferLease(key, 'a', 'b', 20_000);
      await suite.backend.passTime(LONGER_TTL_MS + TOLERANCE_MS);
      expect(await leases.getLeaseOwner(key)).toBe('b');
    });
  });
}
