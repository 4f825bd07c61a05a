import { beforeEach, describe, expect, it } from 'vitest';
import type { SeenLease } from '../../../src/lease/inspector.js';
import { acquire } from '../../../src/operations/acquire.js';
import type { KeyOutcome } from '../../../src/operations/outcome.js';
import { release } from '../../../src/operations/release.js';
import { renew } from '../../../src/operations/renew.js';
import type { OwnerRequest } from '../../../src/operations/shown-holder.js';
import { transfer } from '../../../src/operations/transfer.js';
import { type MemorySite, openMemorySite } from './memory-site.js';

const key = (text: string) => ({ by: 'key', key: text }) as const;
const named = (owner: string) => ({ by: 'name', owner }) as const;

let site: MemorySite;

beforeEach(() => {
  site = openMemorySite();
});

/** `--force`, answered with `answer` after `meanwhile`; what was shown is recorded. */
function forced(answer: boolean, meanwhile: () => Promise<unknown> = async () => {}) {
  const shown: (readonly SeenLease[])[] = [];
  const owner: OwnerRequest = {
    by: 'force',
    confirm: async (holders) => {
      shown.push(holders);
      await meanwhile();
      return answer;
    },
  };
  return { owner, shown };
}

async function releaseAll(...args: Parameters<typeof release>): Promise<readonly KeyOutcome[]> {
  const outcomes: KeyOutcome[] = [];
  for await (const outcome of release(...args)) outcomes.push(outcome);
  return outcomes;
}

describe('acquire', () => {
  it('says whether it was free, refreshed or held by another', async () => {
    const ask = (owner: string) => acquire(site.context, { target: key('k'), owner, ttlMs: 5_000 });
    expect(await ask('a')).toMatchObject({ status: 'acquired', lease: { owner: 'a', remainingMs: 5_000 } });
    site.pass(1_000);
    expect(await ask('a')).toMatchObject({ status: 'refreshed', lease: { owner: 'a', remainingMs: 5_000 } });
    expect(await ask('b')).toMatchObject({ status: 'held-by-other', lease: { owner: 'a' } });
    site.pass(5_000);
    expect(await ask('b')).toMatchObject({ status: 'acquired', lease: { owner: 'b' } });
  });

  it('tells what it can cause on a thread, only when it did it', async () => {
    const ask = (owner: string) => acquire(site.context, { target: key('u\0t'), owner, ttlMs: 5_000 });
    expect((await ask('a')).notes).toEqual([
      { kind: 'not-renewed' },
      { kind: 'thread-caution', verb: 'acquire' },
    ]);
    expect((await ask('b')).notes).toEqual([]);
  });
});

describe('renew and transfer', () => {
  it('neither create nor revive a lease', async () => {
    const requests = { target: key('k'), ttlMs: 5_000 };
    expect(await renew(site.context, { ...requests, owner: named('a') })).toMatchObject({
      status: 'no-lease',
    });
    await site.hold({ k: 'a' }, 1_000);
    site.pass(1_000);
    expect(await renew(site.context, { ...requests, owner: named('a') })).toMatchObject({
      status: 'no-lease',
    });
    expect(await transfer(site.context, { ...requests, from: named('a'), to: 'b' })).toMatchObject({
      status: 'no-lease',
    });
    expect(await site.holders()).toEqual({});
  });

  it('transfer acquires afresh only with orAcquire, and never over another', async () => {
    const request = { target: key('k'), from: named('a'), to: 'b', ttlMs: 5_000, orAcquire: true };
    expect(await transfer(site.context, request)).toMatchObject({
      status: 'acquired',
      lease: { owner: 'b' },
    });
    expect(await transfer(site.context, request)).toMatchObject({ status: 'refreshed' });
    await site.leases.tryTransfer('k', 'b', 'c', 5_000);
    expect(await transfer(site.context, request)).toMatchObject({
      status: 'held-by-other',
      lease: { owner: 'c' },
    });
    expect(await site.holders()).toEqual({ k: 'c' });
  });

  it('with force name the holder that was shown, and no other', async () => {
    await site.hold({ k: 'a' });
    const { owner, shown } = forced(true, () => site.leases.tryTransfer('k', 'a', 'z', 9_000));
    const outcome = await transfer(site.context, { target: key('k'), from: owner, to: 'b', ttlMs: 5_000 });
    expect(shown).toEqual([[expect.objectContaining({ owner: 'a' })]]);
    expect(outcome).toMatchObject({ status: 'held-by-other', lease: { owner: 'z', remainingMs: 9_000 } });
    const again = forced(true, () => site.leases.tryRelease('k', 'z'));
    expect(await renew(site.context, { target: key('k'), owner: again.owner, ttlMs: 5_000 })).toMatchObject({
      status: 'no-lease',
    });
    expect(await site.holders()).toEqual({});
  });

  it('with force ask nobody about a key that nobody holds', async () => {
    const { owner, shown } = forced(true);
    expect(await renew(site.context, { target: key('k'), owner, ttlMs: 5_000 })).toMatchObject({
      status: 'no-lease',
    });
    expect(shown).toEqual([]);
  });

  it('are cancelled by a no', async () => {
    await site.hold({ k: 'a' });
    const { owner } = forced(false);
    await expect(renew(site.context, { target: key('k'), owner, ttlMs: 60_000 })).rejects.toMatchObject({
      code: 'ERR_LEASE_CANCELLED',
    });
    expect(await site.leases.readLease('k')).toMatchObject({ owner: 'a', remainingMs: 15_000 });
  });
});

describe('release', () => {
  it('says what happened to each key, in order', async () => {
    await site.hold({ a: 'me', b: 'you' });
    const outcomes = await releaseAll(site.context, {
      targets: ['a', 'b', 'c', 'a'].map(key),
      owner: named('me'),
    });
    expect(outcomes.map(({ status }) => status)).toEqual([
      'released',
      'held-by-other',
      'no-lease',
      'no-lease',
    ]);
    expect(outcomes[0]).toMatchObject({ previousOwner: 'me' });
    expect(outcomes[0]).not.toHaveProperty('lease');
  });

  it('with force shows every holder at once, before the first write', async () => {
    await site.hold({ a: 'x', b: 'y' });
    const { owner, shown } = forced(true, async () =>
      expect(await site.holders()).toEqual({ a: 'x', b: 'y' }),
    );
    await releaseAll(site.context, { targets: ['a', 'b', 'c'].map(key), owner });
    expect(shown.map((holders) => holders.map(({ owner }) => owner))).toEqual([['x', 'y']]);
    expect(await site.holders()).toEqual({});
  });

  it('with force and a no changes nothing at all', async () => {
    await site.hold({ a: 'x', b: 'y' });
    const { owner } = forced(false);
    await expect(releaseAll(site.context, { targets: ['a', 'b'].map(key), owner })).rejects.toThrow(
      'nothing was sent',
    );
    expect(await site.holders()).toEqual({ a: 'x', b: 'y' });
  });

  it('leaves step fences out of a bulk, unseen, and releases one that is named alone', async () => {
    const fence = 'workflow-step-run:run:event';
    await site.hold({ a: 'x', [fence]: 'y' });
    const { owner, shown } = forced(true);
    const outcomes = await releaseAll(site.context, { targets: [key(fence), key('a')], owner });
    expect(outcomes.map(({ status }) => status)).toEqual(['skipped', 'released']);
    expect(shown).toEqual([[expect.objectContaining({ key: 'a' })]]);
    expect(await releaseAll(site.context, { targets: [key(fence)], owner: named('y') })).toMatchObject([
      { status: 'released' },
    ]);
  });

  it('writes nothing when one of its keys is ambiguous', async () => {
    await site.hold({ a: 'me', 'u\0t': 'me' });
    const targets = [key('a'), key('thread:t')];
    await expect(releaseAll(site.context, { targets, owner: named('me') })).rejects.toMatchObject({
      code: 'ERR_LEASE_AMBIGUOUS_KEY',
    });
    expect(await site.holders()).toEqual({ a: 'me', 'u\0t': 'me' });
  });
});

describe('a dry run', () => {
  it('answers as things stand, asks nobody and changes nothing', async () => {
    await site.hold({ k: 'a' });
    site.pass(1_000);
    const { owner, shown } = forced(false);
    const base = { target: key('k'), ttlMs: 60_000, dryRun: true };
    const outcomes = [
      await acquire(site.context, { ...base, owner: 'a' }),
      await acquire(site.context, { ...base, owner: 'b' }),
      await renew(site.context, { ...base, owner }),
      await transfer(site.context, { ...base, from: owner, to: 'b' }),
      await transfer(site.context, { ...base, from: named('x'), to: 'b', orAcquire: true }),
      ...(await releaseAll(site.context, { targets: [key('k'), key('free')], owner, dryRun: true })),
    ];
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['refreshed', 'held-by-other', 'renewed', 'transferred', 'held-by-other', 'released', 'no-lease'],
    ]);
    expect(outcomes.every(({ dryRun }) => dryRun)).toBe(true);
    expect(shown).toEqual([]);
    expect(await site.leases.readLease('k')).toMatchObject({ owner: 'a', remainingMs: 14_000 });
  });
});
