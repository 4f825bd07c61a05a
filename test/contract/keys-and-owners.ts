import { describe, expect, it } from 'vitest';
import { TEXTS } from '../../src/conformance/texts.js';
import type { ContractSuite } from './contract-suite.js';

const TTL_MS = 60_000;

/** What the kit tries, and what only our own providers promise: the shortest text, the longest, and what starts with a NUL. */
const OUR_TEXTS: Readonly<Record<string, string>> = {
  ...TEXTS,
  'a NUL at the start': '\0t-1',
  'a lone NUL': '\0',
  'no byte order mark': 'key',
  'a number': '1',
  'the number with a zero': '01',
  'a very long text': 'x'.repeat(4_096),
  'a very long text with another end': `${'x'.repeat(4_095)}y`,
  'long emoji': '🙈'.repeat(1_024),
};

export function describeKeysAndOwners(suite: ContractSuite): void {
  describe('keys and owners', () => {
    it.each(Object.entries(OUR_TEXTS))('take %s and give it back through every verb', async (_name, text) => {
      const leases = suite.open();
      const key = `${suite.freshKey()}${text}`;
      const other = `${text}2`;
      expect(await leases.acquireLease(key, text, TTL_MS)).toEqual({ acquired: true, owner: text });
      expect(await leases.acquireLease(key, other, TTL_MS)).toEqual({ acquired: false, owner: text });
      expect(await leases.getLeaseOwner(key)).toBe(text);
      expect(await leases.renewLease(key, text, TTL_MS)).toBe(true);
      expect(await leases.transferLease(key, text, other, TTL_MS)).toBe(true);
      expect(await leases.readLease(key)).toEqual({ key, owner: other, remainingMs: expect.any(Number) });
      expect(await leases.tryRelease(key, other)).toEqual({ done: true });
      expect(await leases.getLeaseOwner(key)).toBeUndefined();
    });

    it('stay distinct, however alike', async () => {
      const leases = suite.open();
      const held = Object.entries(OUR_TEXTS).map(([name, text]) => ({ key: text, owner: `${text}:${name}` }));
      for (const { key, owner } of held) {
        expect(await leases.tryAcquire(key, owner, TTL_MS)).toMatchObject({ done: true, refreshed: false });
      }
      for (const { key, owner } of held) expect(await leases.getLeaseOwner(key)).toBe(owner);
      for (const { key, owner } of held) {
        expect(await leases.tryRelease(key, owner)).toEqual({ done: true });
        expect(await leases.readLease(key)).toBeUndefined();
      }
    });

    it('with half of a surrogate pair, or empty, are refused', async () => {
      const leases = suite.open();
      const key = suite.freshKey();
      for (const bad of ['', '\ud800', 'a\udc00b', '\udc00\ud800']) {
        for (const call of [
          leases.acquireLease(bad, 'a', TTL_MS),
          leases.getLeaseOwner(bad),
          leases.releaseLease(bad, 'a'),
          leases.renewLease(bad, 'a', TTL_MS),
          leases.transferLease(bad, 'a', 'b', TTL_MS),
          leases.readLease(bad),
          leases.tryAcquire(bad, 'a', TTL_MS),
          leases.tryRelease(bad, 'a'),
          leases.tryRenew(bad, 'a', TTL_MS),
          leases.tryTransfer(bad, 'a', 'b', TTL_MS),
        ]) {
          await expect(call).rejects.toMatchObject({ code: 'ERR_LEASE_INVALID_KEY' });
        }
        for (const call of [
          leases.acquireLease(key, bad, TTL_MS),
          leases.releaseLease(key, bad),
          leases.renewLease(key, bad, TTL_MS),
          leases.transferLease(key, bad, 'b', TTL_MS),
          leases.transferLease(key, 'a', bad, TTL_MS),
          leases.tryAcquire(key, bad, TTL_MS),
          leases.tryRelease(key, bad),
          leases.tryRenew(key, bad, TTL_MS),
          leases.tryTransfer(key, bad, 'b', TTL_MS),
          leases.tryTransfer(key, 'a', bad, TTL_MS),
        ]) {
          await expect(call).rejects.toMatchObject({ code: 'ERR_LEASE_INVALID_OWNER' });
        }
      }
      expect(await leases.readLease(key)).toBeUndefined();
    });
  });
}
