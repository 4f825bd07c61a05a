import { describe, expect, it } from 'vitest';
import type { ContractSuite } from './contract-suite.js';

const TTL_MS = 60_000;
const DAY_MS = 86_400_000;
const INVALID = [0, -5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300, DAY_MS + 1];

export function describeTtls(suite: ContractSuite): void {
  describe('a TTL', () => {
    it.each(INVALID)('of %d ms is refused, and neither deletes nor immortalises a lease', async (ttlMs) => {
      const leases = suite.open();
      const [held, free] = [suite.freshKey(), suite.freshKey()];
      await leases.acquireLease(held, 'a', TTL_MS);
      for (const call of [
        leases.acquireLease(held, 'a', ttlMs),
        leases.acquireLease(held, 'b', ttlMs),
        leases.acquireLease(free, 'a', ttlMs),
        leases.renewLease(held, 'a', ttlMs),
        leases.transferLease(held, 'a', 'b', ttlMs),
        leases.tryAcquire(held, 'a', ttlMs),
        leases.tryAcquire(free, 'a', ttlMs),
        leases.tryRenew(held, 'a', ttlMs),
        leases.tryTransfer(held, 'a', 'b', ttlMs),
      ]) {
        await expect(call).rejects.toMatchObject({ code: 'ERR_LEASE_INVALID_TTL' });
      }
      const lease = await leases.readLease(held);
      expect(lease).toEqual({ key: held, owner: 'a', remainingMs: expect.any(Number) });
      expect(lease?.remainingMs).toBeLessThanOrEqual(TTL_MS);
      expect(await leases.readLease(free)).toBeUndefined();
    });

    it('of 24 hours, the longest, is given in full', async () => {
      const leases = suite.open();
      const report = await leases.tryAcquire(suite.freshKey(), 'a', DAY_MS);
      expect(report.remainingMs).toBeLessThanOrEqual(DAY_MS);
      expect(report.remainingMs).toBeGreaterThan(DAY_MS - 10_000);
    });

    it('of 1 ms, the shortest, claims and is soon over', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      expect(await leases.acquireLease(key, 'a', 1)).toEqual({ acquired: true, owner: 'a' });
      await suite.backend.passTime(51);
      expect(await leases.readLease(key)).toBeUndefined();
    });
  });
}
