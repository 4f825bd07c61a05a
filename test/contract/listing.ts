import { describe, expect, it } from 'vitest';
import { type ContractProvider, type ContractSuite, collect } from './contract-suite.js';

const TTL_MS = 60_000;
/** More than any provider looks at in one step. */
const MANY = 1_200;

export function describeListing(suite: ContractSuite): void {
  describe('a listing', () => {
    it('yields each held lease once, with its owner and what is left, and none that is over', async () => {
      const leases = suite.open();
      const family = suite.freshKey();
      const held = ['\0nul', '*', '[x]', '{tag}', '🙈', ' ', '\\', 'plain'].map((text) => ({
        key: `${family}${text}`,
        owner: `owner of ${text}`,
      }));
      for (const { key, owner } of held) await leases.acquireLease(key, owner, TTL_MS);
      await leases.acquireLease(`${family}released`, 'a', TTL_MS);
      await leases.releaseLease(`${family}released`, 'a');
      await leases.acquireLease(`${family}moved`, 'a', TTL_MS);
      await leases.transferLease(`${family}moved`, 'a', 'b', TTL_MS);
      await leases.acquireLease(`${family}expired`, 'a', 20);
      await suite.backend.passTime(20 + 50);

      const listed = await listFamily(leases, family);
      const expected = [...held, { key: `${family}moved`, owner: 'b' }].map((lease) => ({
        ...lease,
        remainingMs: expect.any(Number),
      }));
      expect(listed).toHaveLength(expected.length);
      expect(listed).toEqual(expect.arrayContaining(expected));
      for (const { remainingMs } of listed) {
        expect(remainingMs).toSatisfy(Number.isInteger);
        expect(remainingMs).toBeGreaterThan(0);
        expect(remainingMs).toBeLessThanOrEqual(TTL_MS);
      }
    });

    it('sees what another provider holds, wherever the leases are shared', async () => {
      const [leases, others] = suite.openSeveral(2);
      const family = suite.freshKey();
      await others?.acquireLease(`${family}x`, 'a', TTL_MS);
      const listed = leases && (await listFamily(leases, family));
      expect(listed).toEqual([{ key: `${family}x`, owner: 'a', remainingMs: expect.any(Number) }]);
    });

    it('goes on over as many steps as there are, and tells how far it is', async () => {
      const leases = suite.open();
      const family = suite.freshKey();
      const keys = Array.from({ length: MANY }, (_, index) => `${family}:${index}`);
      await Promise.all(keys.map((key) => leases.acquireLease(key, 'a', TTL_MS)));
      const progress: number[] = [];
      const onProgress = ({ scannedKeys }: { scannedKeys: number }) => void progress.push(scannedKeys);
      const listed = await collect(leases.listLeases({ onProgress }));
      const ours = listed.map(({ key }) => key).filter((key) => key.startsWith(`${family}:`));
      expect(ours.toSorted()).toEqual(keys.toSorted());
      expect(progress.length).toBeGreaterThan(0);
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
      expect(progress.at(-1)).toBeGreaterThanOrEqual(MANY);
      await Promise.all(keys.map((key) => leases.releaseLease(key, 'a')));
    });

    it('shows each lease that is held all along once, while others come and go', async () => {
      const leases = suite.open();
      const family = suite.freshKey();
      const steady = Array.from({ length: MANY }, (_, index) => `${family}:steady:${index}`);
      await Promise.all(steady.map((key) => leases.acquireLease(key, 'a', TTL_MS)));
      const seen: string[] = [];
      for await (const { key } of leases.listLeases()) {
        if (key.startsWith(`${family}:steady:`)) seen.push(key);
        if (seen.length % 100 === 0) {
          await leases.acquireLease(`${family}:brief:${seen.length}`, 'a', TTL_MS);
          await leases.transferLease(steady[seen.length] ?? family, 'a', 'a', TTL_MS);
          await leases.releaseLease(`${family}:brief:${seen.length - 100}`, 'a');
        }
      }
      expect(seen.toSorted()).toEqual(steady.toSorted());
      await Promise.all(steady.map((key) => leases.releaseLease(key, 'a')));
    });

    it('throws the reason of its signal, before the first lease or after', async () => {
      const leases = suite.open();
      const family = suite.freshKey();
      for (const name of ['x', 'y', 'z']) await leases.acquireLease(`${family}${name}`, 'a', TTL_MS);
      const reason = new Error('enough');
      await expect(collect(leases.listLeases({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
      const controller = new AbortController();
      const begun = (async () => {
        for await (const _lease of leases.listLeases({ signal: controller.signal })) controller.abort(reason);
      })();
      await expect(begun).rejects.toBe(reason);
    });

    it('may be left early, and the provider goes on answering', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      await leases.acquireLease(key, 'a', TTL_MS);
      for await (const _lease of leases.listLeases()) break;
      expect(await leases.getLeaseOwner(key)).toBe('a');
    });
  });
}

/** The listed leases whose keys begin so: other tests hold leases too. */
async function listFamily(leases: ContractProvider, family: string) {
  return (await collect(leases.listLeases())).filter(({ key }) => key.startsWith(family));
}
