import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { SeenLease } from '../../src/lease/inspector.js';
import { waitFor } from '../support/wait-for.js';
import { WatchedView } from '../support/watched-view.js';
import { type ContractProvider, type ContractSuite, collect } from './contract-suite.js';

const TTL_MS = 60_000;
const SHORT_TTL_MS = 400;
/** How far a lease's end may lie from its TTL, either way. */
const TOLERANCE_MS = 50;

export function describeWatching(suite: ContractSuite): void {
  describe('a watch', () => {
    it('begins with a snapshot of what is held, and then says that it is live, how, and at what cost', async () => {
      const leases = suite.open();
      const family = suite.freshKey();
      await leases.acquireLease(`${family}a`, 'o', TTL_MS);
      const view = watch(leases);
      await view.untilLive();
      const kinds = view.changes.map(({ kind }) => kind).filter((kind) => kind !== 'held');
      expect(kinds).toEqual(['snapshot-start', 'snapshot-end', 'live']);
      expect(heldIn(view, family)).toEqual([
        { key: `${family}a`, owner: 'o', remainingMs: expect.any(Number) },
      ]);
      expect(view.live?.commandsPerSecond).toBeGreaterThanOrEqual(0);
      expect(view.live?.how === 'polling').toBe(view.live?.intervalMs !== undefined);
    });

    it('tells each change, whoever makes it: claims, transfers, renewals, releases', async () => {
      const [leases, others] = suite.openSeveral(2);
      if (!leases || !others) throw new Error('no providers');
      const key = suite.freshKey();
      const view = watch(leases);
      await view.untilLive();
      for (const [index, caller] of [leases, others].entries()) {
        await caller.acquireLease(key, `a${index}`, TTL_MS);
        await view.until(() => view.leases.get(key)?.owner === `a${index}`);
        await caller.transferLease(key, `a${index}`, `b${index}`, TTL_MS);
        await view.until(() => view.leases.get(key)?.owner === `b${index}`);
        await caller.renewLease(key, `b${index}`, 2 * TTL_MS);
        await view.until(() => Number(view.leases.get(key)?.remainingMs) > TTL_MS);
        await caller.releaseLease(key, `b${index}`);
        await view.until(() => view.freedAtMs.has(key) && !view.leases.has(key));
      }
      expect(view.snapshots).toBe(1);
    });

    it('tells a lease that ends by itself as free, at its end and not before', async () => {
      const leases = suite.open();
      const [ends, renewed] = [suite.freshKey(), suite.freshKey()];
      const view = watch(leases);
      await view.untilLive();
      await leases.acquireLease(renewed, 'o', SHORT_TTL_MS);
      await leases.renewLease(renewed, 'o', TTL_MS);
      const askedAtMs = suite.backend.nowMs();
      await leases.acquireLease(ends, 'o', SHORT_TTL_MS);
      await view.until(() => view.leases.has(ends));
      await suite.backend.passTime(askedAtMs + SHORT_TTL_MS + TOLERANCE_MS - suite.backend.nowMs());
      await view.until(() => view.freedAtMs.has(ends));
      const free = view.changes.findLast((change) => change.kind === 'free' && change.keys.includes(ends));
      if (free?.kind !== 'free') throw new Error('not told');
      expect(free.readAtMs).toBeGreaterThanOrEqual(askedAtMs + SHORT_TTL_MS - TOLERANCE_MS);
      expect(await leases.readLease(ends)).toBeUndefined();
      expect(view.leases.get(renewed)?.owner).toBe('o');
      expect(view.freedAtMs.has(renewed)).toBe(false);
    });

    it('of some keys tells those alone', async () => {
      const leases = suite.open();
      const [mine, free, other] = [suite.freshKey(), suite.freshKey(), suite.freshKey()];
      for (const key of [mine, other]) await leases.acquireLease(key, 'o', TTL_MS);
      const view = watch(leases, [mine, free]);
      await view.untilLive();
      expect(view.held).toEqual([`${mine}=o`]);
      await leases.transferLease(other, 'o', 'p', TTL_MS);
      await leases.acquireLease(free, 'o', TTL_MS);
      await view.until(() => view.leases.has(free));
      await leases.releaseLease(other, 'p');
      await leases.releaseLease(mine, 'o');
      await view.until(() => view.freedAtMs.has(mine));
      expect(view.held).toEqual([`${free}=o`]);
      expect([...view.freedAtMs.keys()]).toEqual([mine]);
    });

    it('ends up with what a listing sees, however much changed', async () => {
      const [leases, others] = suite.openSeveral(2);
      if (!leases || !others) throw new Error('no providers');
      const family = suite.freshKey();
      const view = watch(leases);
      await view.untilLive();
      const keys = Array.from({ length: 60 }, (_, index) => `${family}:${index}`);
      for (let round = 0; round < 5; round += 1) {
        await Promise.all(
          keys.map(async (key, index) => {
            await others.acquireLease(key, 'a', TTL_MS);
            if ((index + round) % 2 === 0) await others.transferLease(key, 'a', `b${round}`, TTL_MS);
            if ((index + round) % 3 === 0) await others.releaseLease(key, `b${round}`);
          }),
        );
      }
      const ownersOf = (listed: readonly SeenLease[]) =>
        listed.map(({ key, owner }) => `${key}=${owner}`).filter((line) => line.startsWith(family));
      const listed = ownersOf(await collect(leases.listLeases())).sort();
      await waitFor(() => {
        expect(ownersOf([...view.leases.values()]).sort()).toEqual(listed);
        return true;
      });
      for (const key of keys) {
        const owner = await others.getLeaseOwner(key);
        if (owner !== undefined) await others.releaseLease(key, owner);
      }
    });

    it('ends when its signal says so, and leaves no listener behind', async () => {
      const leases = suite.open();
      const view = watch(leases);
      await view.untilLive();
      await view.stop();
      expect(view.end).toBe('returned');
      expect(getEventListeners(view.signal, 'abort')).toEqual([]);
      const signal = AbortSignal.abort();
      expect(await collect(leases.watchLeases({ signal }))).toEqual([]);
    });

    it('ends with its provider, and says that it was closed', async () => {
      const leases = suite.open();
      const view = watch(leases);
      await view.untilLive();
      await leases.close();
      await waitFor(() => view.end);
      expect(view.end).toMatchObject({ code: 'ERR_LEASE_CLOSED' });
      await expect(collect(leases.watchLeases({ signal: view.signal }))).rejects.toMatchObject({
        code: 'ERR_LEASE_CLOSED',
      });
    });
  });
}

function watch(leases: ContractProvider, keys?: readonly string[]): WatchedView {
  return WatchedView.of((options) => leases.watchLeases(options), keys ? { keys } : {});
}

/** The leases whose keys begin so: other tests hold leases too. */
function heldIn(view: WatchedView, family: string): readonly SeenLease[] {
  return [...view.leases.values()].filter(({ key }) => key.startsWith(family));
}
