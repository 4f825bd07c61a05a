import { beforeEach, describe, expect, it } from 'vitest';
import { OutcomeUnknownError, UnreachableError } from '../../../src/lease/errors.js';
import type { LeaseReport } from '../../../src/lease/inspector.js';
import { settleWrite, type WantedState } from '../../../src/operations/settle.js';
import { type MemorySite, openMemorySite } from './memory-site.js';

const LOST = new OutcomeUnknownError('acquire was sent and no answer came');

let site: MemorySite;

beforeEach(() => {
  site = openMemorySite();
});

/** A write whose answer is lost after `write` was done and some time has passed. */
function settle(wanted: WantedState, write: () => Promise<unknown>, waitedMs = 2_000): Promise<LeaseReport> {
  return settleWrite(site.context, {
    verb: 'acquire',
    key: 'k',
    wanted,
    send: async () => {
      await write();
      site.pass(waitedMs);
      throw LOST;
    },
  });
}

const nothing = async () => {};
const ACQUIRE = { verb: 'acquire', key: 'k', wanted: { owner: 'a', ttlMs: 5 } } as const;

describe('a write whose answer came', () => {
  it('is that answer, and nothing is read', async () => {
    const report = await settleWrite(site.context, {
      ...ACQUIRE,
      send: async () => ({ done: false, holder: 'b', remainingMs: 7 }),
    });
    expect(report).toEqual({ done: false, holder: 'b', remainingMs: 7 });
    expect(site.calls.read).toBe(0);
  });

  it('is its error, when it is known that nothing was sent', async () => {
    const unreachable = new UnreachableError('refused');
    const settled = settleWrite(site.context, { ...ACQUIRE, send: () => Promise.reject(unreachable) });
    await expect(settled).rejects.toBe(unreachable);
    expect(site.calls.read).toBe(0);
  });
});

describe('a write whose answer was lost', () => {
  const wanted = { owner: 'a', ttlMs: 15_000 };

  it('happened when the owner has the lease with a time left that only it could have given', async () => {
    const report = await settle(wanted, () => site.leases.tryAcquire('k', 'a', 15_000));
    expect(report).toEqual({ done: true, holder: 'a', remainingMs: 13_000, readBack: true });
    expect(site.calls.read).toBe(1);
  });

  it.each([
    ['nobody holds it: it may still arrive', nothing],
    ['another holds it', () => site.leases.tryAcquire('k', 'b', 15_000)],
    ['the owner has it from before, with less left', () => site.leases.tryAcquire('k', 'a', 9_000)],
    ['the owner has it from before, with more left', () => site.leases.tryAcquire('k', 'a', 60_000)],
  ])('stays unknown when %s', async (_, before) => {
    await expect(settle(wanted, before)).rejects.toBe(LOST);
  });

  it('is a release when the owner has it no longer, whoever has it now', async () => {
    await site.hold({ k: 'a' });
    expect(await settle({ notOwner: 'a' }, () => site.leases.tryRelease('k', 'a'))).toEqual({
      done: true,
      readBack: true,
    });
    expect(await settle({ notOwner: 'a' }, () => site.leases.tryAcquire('k', 'b', 15_000))).toMatchObject({
      done: true,
      holder: 'b',
    });
  });

  it('stays unknown when the owner still has what was to be released', async () => {
    await site.hold({ k: 'a' });
    await expect(settle({ notOwner: 'a' }, nothing)).rejects.toBe(LOST);
  });

  it('stays unknown, as it was told, when reading back fails too', async () => {
    await expect(settle(wanted, () => site.leases.close())).rejects.toBe(LOST);
  });
});
