import { describe, expect, it } from 'vitest';
import { type ContractSuite, collect } from './contract-suite.js';

const TTL_MS = 60_000;

export function describeClosing(suite: ContractSuite): void {
  describe('after close', () => {
    it('every call is refused as closed, and none answers "free"', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      await leases.close();
      for (const call of [
        leases.acquireLease(key, 'a', TTL_MS),
        leases.getLeaseOwner(key),
        leases.releaseLease(key, 'a'),
        leases.renewLease(key, 'a', TTL_MS),
        leases.transferLease(key, 'a', 'b', TTL_MS),
        leases.readLease(key),
        leases.tryAcquire(key, 'a', TTL_MS),
        leases.tryRelease(key, 'a'),
        leases.tryRenew(key, 'a', TTL_MS),
        leases.tryTransfer(key, 'a', 'b', TTL_MS),
        collect(leases.listLeases()),
      ]) {
        await expect(call).rejects.toMatchObject({ code: 'ERR_LEASE_CLOSED' });
      }
    });

    it('a provider that was never used is closed too', async () => {
      const leases = suite.open();
      await leases.close();
      await expect(leases.getLeaseOwner(suite.freshKey())).rejects.toMatchObject({
        code: 'ERR_LEASE_CLOSED',
      });
    });

    it('closing again is no error', async () => {
      const leases = suite.open();
      await leases.readLease(suite.freshKey());
      await leases.close();
      await expect(leases.close()).resolves.toBeUndefined();
    });

    if (suite.scope !== 'process') {
      it('the leases stay, for others to see', async () => {
        const [leases, others] = [suite.open(), suite.open()];
        const key = suite.freshKey();
        await leases.acquireLease(key, 'a', TTL_MS);
        await leases.close();
        expect(await others.getLeaseOwner(key)).toBe('a');
      });
    }
  });
}
