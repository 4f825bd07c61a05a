import { describe, expect, test } from 'vitest';
import type { Backend } from '../../../src/lease/backend.js';
import { UnreachableError } from '../../../src/lease/errors.js';
import type { LeaseProvider } from '../../../src/lease/provider.js';
import { inspectorOf, reporterOf } from '../../../src/operations/reporter.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';

const OTHER = { holder: 'run-2', remainingMs: 60_000 };

interface Theirs {
  /** What their provider does otherwise than the contract says. */
  readonly instead?: (leases: MemoryLeaseProvider) => Partial<LeaseProvider>;
  /** What happens at the nth look at the lease, from 1. */
  readonly onLook?: (look: number, leases: MemoryLeaseProvider) => unknown;
}

/** A backend whose provider keeps the contract alone, over leases that the test sees too. */
async function openTheirs({ instead, onLook }: Theirs, held: Readonly<Record<string, string>> = {}) {
  const leases = new MemoryLeaseProvider({ clock: { monotonicMs: () => 0 } });
  for (const [key, owner] of Object.entries(held)) await leases.tryAcquire(key, owner, 60_000);
  const sent: string[] = [];
  const contract: LeaseProvider = {
    acquireLease: (...args) => leases.acquireLease(...args),
    getLeaseOwner: (...args) => leases.getLeaseOwner(...args),
    releaseLease: (...args) => leases.releaseLease(...args),
    renewLease: (...args) => leases.renewLease(...args),
    transferLease: (...args) => leases.transferLease(...args),
    ...instead?.(leases),
  };
  const provider = new Proxy(contract, {
    get(target, name, receiver) {
      sent.push(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
  let looks = 0;
  const backend: Backend = {
    provider,
    readLease: async (key) => {
      looks += 1;
      await onLook?.(looks, leases);
      return leases.readLease(key);
    },
    source: () => ({ backend: '/app/pubsub.ts', provider: 'TheirPubSub', foundBy: '--backend' }),
    close: async () => {},
  };
  return { leases, sent, backend, reporter: reporterOf(backend) };
}

describe('a provider that keeps the contract alone is reported by what is seen afterwards', () => {
  test('acquired, refreshed, or refused with the holder and what is left', async () => {
    const { reporter } = await openTheirs({}, { theirs: 'run-2' });
    expect(await reporter.tryAcquire('k', 'run-1', 1_000)).toEqual({
      done: true,
      holder: 'run-1',
      remainingMs: 1_000,
      refreshed: false,
    });
    expect(await reporter.tryAcquire('k', 'run-1', 2_000)).toMatchObject({
      refreshed: true,
      remainingMs: 2_000,
    });
    expect(await reporter.tryAcquire('theirs', 'run-1', 1_000)).toEqual({ done: false, ...OTHER });
  });

  test('renewed, moved and released, or not', async () => {
    const { reporter } = await openTheirs({}, { k: 'run-1', theirs: 'run-2' });
    expect(await reporter.tryRenew('k', 'run-1', 5_000)).toEqual({
      done: true,
      holder: 'run-1',
      remainingMs: 5_000,
    });
    expect(await reporter.tryRenew('theirs', 'run-1', 5_000)).toEqual({ done: false, ...OTHER });
    expect(await reporter.tryRenew('none', 'run-1', 5_000)).toEqual({ done: false });
    expect(await reporter.tryTransfer('k', 'run-1', 'run-3', 7_000)).toEqual({
      done: true,
      holder: 'run-3',
      remainingMs: 7_000,
    });
    expect(await reporter.tryTransfer('theirs', 'run-1', 'run-3', 7_000)).toEqual({ done: false, ...OTHER });
    expect(await reporter.tryTransfer('none', 'run-1', 'run-3', 7_000)).toEqual({ done: false });
    expect(await reporter.tryRelease('k', 'run-3')).toEqual({ done: true });
  });

  test('a release of what another holds, or nobody, sends nothing: no answer would tell it from a done one', async () => {
    const { reporter, sent } = await openTheirs({}, { theirs: 'run-2' });
    expect(await reporter.tryRelease('theirs', 'run-1')).toEqual({ done: false, ...OTHER });
    expect(await reporter.tryRelease('none', 'run-1')).toEqual({ done: false });
    expect(sent).toEqual([]);
  });
});

describe('another owner who came in before the look is no contradiction', () => {
  const takenOver: Theirs = {
    onLook: async (look, leases) => {
      if (look < 2) return;
      await leases.releaseLease('k', 'run-1');
      await leases.acquireLease('k', 'run-2', 60_000);
    },
  };

  test('an acquire is not done, a release is', async () => {
    const acquired = await openTheirs(takenOver);
    expect(await acquired.reporter.tryAcquire('k', 'run-1', 1_000)).toEqual({ done: false, ...OTHER });
    const released = await openTheirs(takenOver, { k: 'run-1' });
    expect(await released.reporter.tryRelease('k', 'run-1')).toEqual({ done: true, ...OTHER });
  });
});

describe('an answer that what is seen contradicts is an error', () => {
  test.each<
    [string, NonNullable<Theirs['instead']>, (reporter: ReturnType<typeof reporterOf>) => Promise<unknown>]
  >([
    [
      'acquireLease answered acquired, and nobody holds the lease',
      () => ({ acquireLease: async (_key, owner) => ({ acquired: true, owner }) }),
      (reporter) => reporter.tryAcquire('none', 'run-1', 1_000),
    ],
    [
      'releaseLease answered nothing, and its owner still holds the lease',
      () => ({ releaseLease: async () => {} }),
      (reporter) => reporter.tryRelease('k', 'run-1'),
    ],
    [
      'renewLease answered true, and nobody holds the lease',
      () => ({ renewLease: async () => true }),
      (reporter) => reporter.tryRenew('none', 'run-1', 1_000),
    ],
    [
      'renewLease answered false, and its owner still holds the lease',
      () => ({ renewLease: async () => false }),
      (reporter) => reporter.tryRenew('k', 'run-1', 1_000),
    ],
    [
      'transferLease answered true, and nobody holds the lease',
      (leases) => ({
        transferLease: async (key, from) => {
          await leases.releaseLease(key, from);
          return true;
        },
      }),
      (reporter) => reporter.tryTransfer('k', 'run-1', 'run-3', 1_000),
    ],
    [
      'transferLease answered true, and its owner still holds the lease',
      () => ({ transferLease: async () => true }),
      (reporter) => reporter.tryTransfer('k', 'run-1', 'run-3', 1_000),
    ],
    [
      'transferLease answered false, and its owner still holds the lease',
      () => ({ transferLease: async () => false }),
      (reporter) => reporter.tryTransfer('k', 'run-1', 'run-3', 1_000),
    ],
  ])('%s', async (message, instead, write) => {
    const { reporter } = await openTheirs({ instead }, { k: 'run-1' });
    await expect(write(reporter)).rejects.toMatchObject({
      code: 'ERR_LEASE_UNEXPECTED_REPLY',
      message: `The provider's ${message} when it is read back`,
    });
  });

  test('a claim that was refused is not done, whoever is seen: nothing deploys on it', async () => {
    const instead = () => ({ acquireLease: async () => ({ acquired: false }) });
    const { reporter } = await openTheirs({ instead }, { k: 'run-1' });
    expect(await reporter.tryAcquire('k', 'run-1', 1_000)).toMatchObject({ done: false, holder: 'run-1' });
  });

  test('a move from an owner to itself is none', async () => {
    const { reporter } = await openTheirs({}, { k: 'run-1' });
    expect(await reporter.tryTransfer('k', 'run-1', 'run-1', 5_000)).toEqual({
      done: true,
      holder: 'run-1',
      remainingMs: 5_000,
    });
  });
});

describe('a lease that cannot be read back', () => {
  const blind = (from: number): Theirs => ({
    onLook: (look) => {
      if (look >= from) throw new UnreachableError('it is gone; nothing was changed');
    },
  });
  const unknown = (method: string) => ({
    code: 'ERR_LEASE_OUTCOME_UNKNOWN',
    message: `${method} was answered, and could not be read back: it is gone; nothing was changed`,
  });

  test('leaves a write unknown: it was not "nothing changed"', async () => {
    const acquire = await openTheirs(blind(2));
    await expect(acquire.reporter.tryAcquire('k', 'run-1', 1)).rejects.toMatchObject(unknown('acquireLease'));
    const release = await openTheirs(blind(2), { k: 'run-1' });
    await expect(release.reporter.tryRelease('k', 'run-1')).rejects.toMatchObject(unknown('releaseLease'));
    const renew = await openTheirs(blind(1), { k: 'run-1' });
    await expect(renew.reporter.tryRenew('k', 'run-1', 1)).rejects.toMatchObject(unknown('renewLease'));
    const move = await openTheirs(blind(1), { k: 'run-1' });
    await expect(move.reporter.tryTransfer('k', 'run-1', 'run-3', 1)).rejects.toMatchObject(
      unknown('transferLease'),
    );
  });

  test('changed nothing where the write was refused, or not sent', async () => {
    const refused = await openTheirs(blind(2), { k: 'run-2' });
    await expect(refused.reporter.tryAcquire('k', 'run-1', 1)).rejects.toMatchObject({
      code: 'ERR_LEASE_UNREACHABLE',
    });
    const unsent = await openTheirs(blind(1));
    await expect(unsent.reporter.tryAcquire('k', 'run-1', 1)).rejects.toMatchObject({
      code: 'ERR_LEASE_UNREACHABLE',
    });
    expect(unsent.sent).toEqual([]);
  });
});

test('a provider that reports by itself is asked for its reports', async () => {
  const leases = new MemoryLeaseProvider();
  const { backend } = await openTheirs({});
  expect(reporterOf({ ...backend, reporter: leases })).toBe(leases);
});

test('a backend that nothing can list says what to configure', async () => {
  const { backend, leases } = await openTheirs({});
  expect(inspectorOf({ ...backend, inspector: leases })).toBe(leases);
  expect(() => inspectorOf(backend)).toThrow(
    expect.objectContaining({
      code: 'ERR_LEASE_UNSUPPORTED',
      message: 'The leases of TheirPubSub cannot be listed: its provider offers only the contract',
      remedy: 'name where they live by `inspect` in the config, or by REDIS_URL',
    }),
  );
});
