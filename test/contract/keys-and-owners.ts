import { describe, expect, it } from 'vitest';
import type { ContractSuite } from './contract-suite.js';

const TTL_MS = 60_000;

/** Texts that something on the way might cut, split, match, normalise or merge. */
const TEXTS: Readonly<Record<string, string>> = {
  'a NUL in the middle': 'user-42\0t-1',
  'a NUL at the start': '\0t-1',
  'a NUL at the end': 'user-42\0',
  'a lone NUL': '\0',
  'two NULs': 'a\0b\0c',
  'the runtime durable key': 'mastra:durable-agent-recovery:v1:["agent","run"]',
  stars: 'a*b',
  'a question mark': 'a?b',
  'a set': 'a[bc]d',
  'a backslash': 'a\\*b',
  'percent and underscore': 'a%b_c',
  braces: '{tag}rest',
  'unbalanced braces': '}{',
  'empty braces': '{}x',
  emoji: '🙈 run 👩‍👩‍👧',
  'composed é': 'caf\u00e9',
  'decomposed é': 'cafe\u0301',
  'a byte order mark': '\ufeffkey',
  'no byte order mark': 'key',
  'a leading dash': '-rf',
  'leading dashes': '--owner=x',
  'a space': ' ',
  'a trailing space': 'key ',
  'a newline': 'a\r\nb',
  quotes: `a'b"c\`d`,
  'an escape character': '\u001b[2Jx',
  'a number': '1',
  'the number with a zero': '01',
  'the last code point': '\u{10ffff}',
  'object names': '__proto__',
  'a long text': 'x'.repeat(4_096),
  'a long text with another end': `${'x'.repeat(4_095)}y`,
  'long emoji': '🙈'.repeat(1_024),
};

export function describeKeysAndOwners(suite: ContractSuite): void {
  describe('keys and owners', () => {
    it.each(Object.entries(TEXTS))('take %s and give it back through every verb', async (_name, text) => {
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
      const held = Object.entries(TEXTS).map(([name, text]) => ({ key: text, owner: `${text}:${name}` }));
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
