import { describe, expect, test } from 'vitest';
import type { Backend, BackendSource } from '../../../src/lease/backend.js';
import {
  type LeaseError,
  NotPermittedError,
  UnreachableError,
  UnsupportedError,
  UnverifiedError,
} from '../../../src/lease/errors.js';
import type { BackendIdentity } from '../../../src/lease/identity.js';
import type { Lease } from '../../../src/lease/inspector.js';
import type { ServerFacts } from '../../../src/lease/server-facts.js';
import { type CheckSubject, checkBackend } from '../../../src/operations/check.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';

const IDENTITY: BackendIdentity = {
  className: 'TheirPubSub',
  unwrapping: [],
  methods: {
    acquireLease: true,
    getLeaseOwner: true,
    releaseLease: true,
    renewLease: true,
    transferLease: true,
  },
  traits: {},
  warnings: ['known before'],
};

const SOURCE: BackendSource = { backend: '/app/pubsub.ts', foundBy: '--backend' };

const FACTS: ServerFacts = {
  version: '7.0.15',
  role: 'primary',
  mode: 'standalone',
  evictionPolicy: 'noeviction',
  maxMemoryBytes: 0,
  runId: 'a28434',
  isTrackingPermitted: true,
};

/** A clock on which each look takes this many milliseconds, in turn. */
function clockOf(...stepsMs: readonly number[]) {
  let nowMs = 0;
  let looks = 0;
  return {
    wallMs: () => 1_000,
    monotonicMs: () => {
      const answer = nowMs;
      nowMs += stepsMs[looks % stepsMs.length] ?? 0;
      looks += 1;
      return answer;
    },
  };
}

interface Seen extends Partial<CheckSubject> {
  /** The failure of the nth call, from 1. */
  readonly failsAt?: (call: number) => LeaseError | undefined;
  readonly leases?: readonly Lease[];
  /** How the listing ends. */
  readonly listingError?: LeaseError;
  readonly hasInspector?: boolean;
  readonly facts?: Partial<ServerFacts> | LeaseError;
}

/** Checks a backend over leases in memory that counts its calls. */
async function check(seen: Seen, clock = clockOf(1)) {
  const { failsAt, leases = [], listingError, hasInspector = true, facts, ...subject } = seen;
  const memory = new MemoryLeaseProvider();
  const asked: string[] = [];
  const backend: Backend = {
    provider: Object.assign(memory, {
      getLeaseOwner: async (key: string) => {
        asked.push(key);
        const error = failsAt?.(asked.length);
        if (error) throw error;
        return undefined;
      },
    }),
    ...(hasInspector && {
      inspector: {
        readLease: async () => undefined,
        async *listLeases() {
          yield* leases;
          if (listingError) throw listingError;
        },
      },
    }),
    readLease: async () => undefined,
    source: () => SOURCE,
    close: async () => {},
  };
  const report = await checkBackend(
    {
      identity: IDENTITY,
      backend,
      source: () => SOURCE,
      ...(facts && {
        readServerFacts: async () => {
          if (facts instanceof Error) throw facts;
          return { ...FACTS, ...facts };
        },
      }),
      ...subject,
    },
    clock,
    'scratch',
  );
  return { report, asked };
}

const leasesOf = (count: number): Lease[] =>
  Array.from({ length: count }, (_, i) => ({ key: `k${i}`, owner: 'run-1', remainingMs: 1_000 }));

describe('the round trip', () => {
  test('is measured by twenty reads of a key that nobody holds, without the first, which connects', async () => {
    // Calls take 100 ms, then 1 to 19 ms; a look is at the start and at the end of each but the first.
    const steps = [100, ...Array.from({ length: 19 }, (_, i) => [i + 1.00049, 0]).flat()];
    const { report, asked } = await check({}, clockOf(...steps));
    expect(asked).toEqual(Array.from({ length: 20 }, () => 'scratch'));
    expect(report.answers).toEqual({ asked: 20, minMs: 1, medianMs: 10, maxMs: 19 });
    expect(report.failure).toBeUndefined();
  });

  test('that fails ends the check: nothing more is asked', async () => {
    const error = new UnreachableError('connection refused');
    const { report, asked } = await check({ failsAt: (call) => (call === 3 ? error : undefined), facts: {} });
    expect(asked).toHaveLength(3);
    expect(report).toMatchObject({ answers: { asked: 3, error }, failure: error });
    expect(report).not.toHaveProperty('inspection');
    expect(report).not.toHaveProperty('server');
  });

  test('of a server that cannot say "free" for certain is one', async () => {
    const { report } = await check({ failsAt: () => new UnverifiedError('role unverified') });
    expect(report.answers).toMatchObject({ asked: 20, medianMs: 1 });
    expect(report.failure).toBeUndefined();
  });

  test('that fails for a bug is a bug', async () => {
    const bug = new TypeError('x is not a function') as unknown as LeaseError;
    await expect(check({ failsAt: () => bug })).rejects.toBe(bug);
  });
});

describe('the listing', () => {
  test('is read as far as fifty leases', async () => {
    const { report } = await check({ leases: leasesOf(60) });
    expect(report.inspection).toEqual({ state: 'verified', seen: 50 });
    expect(report.warnings).toEqual(['known before']);
  });

  test('of nothing proves nothing, and is no warning', async () => {
    const { report } = await check({});
    expect(report.inspection).toEqual({ state: 'nothing to compare' });
    expect(report.warnings).toEqual(['known before']);
  });

  test.each([new NotPermittedError('no SCAN'), new UnverifiedError('the application knows no such lease')])(
    'that is refused warns, and fails nothing: %s',
    async (listingError) => {
      const { report } = await check({ leases: leasesOf(1), listingError });
      expect(report.inspection).toEqual({ state: 'refused', error: listingError });
      expect(report.warnings).toEqual([
        'known before',
        `the leases cannot be listed: ${listingError.message}`,
      ]);
      expect(report.failure).toBeUndefined();
    },
  );

  test('that a replica refuses fails the check, which a contract alone does not notice', async () => {
    const listingError = new UnreachableError('connected to a replica');
    const { report } = await check({ listingError });
    expect(report.failure).toBe(listingError);
    expect(report.warnings).toEqual(['known before']);
  });

  test('that nothing can do says what to configure', async () => {
    const { report } = await check({ hasInspector: false });
    expect(report.inspection).toEqual({ state: 'none' });
    expect(report.warnings[1]).toContain('name where they live by `inspect` in the config');
  });
});

describe('what a server tells', () => {
  test.each(['volatile-lru', 'allkeys-random'])(
    'warns of an eviction policy that ends leases: %s',
    async (policy) => {
      const { report } = await check({ facts: { evictionPolicy: policy } });
      expect(report.warnings[1]).toContain(`maxmemory-policy ${policy}`);
      expect(report.failure).toBeUndefined();
    },
  );

  test.each(['noeviction', 'refused'])('does not warn of %s', async (policy) => {
    expect((await check({ facts: { evictionPolicy: policy } })).report.warnings).toEqual(['known before']);
  });

  test('warns where changes cannot be pushed, and where the role is not told', async () => {
    const { report } = await check({ facts: { isTrackingPermitted: false, role: 'unverified' } });
    expect(report.warnings).toHaveLength(3);
  });

  test('may be refused altogether', async () => {
    const { report } = await check({ facts: new NotPermittedError('no INFO') });
    expect(report).not.toHaveProperty('server');
    expect(report.failure).toBeUndefined();
  });

  test('is asked of a replica too, which refuses to answer for its leases', async () => {
    const { report } = await check({
      failsAt: () => new UnreachableError('connected to a replica'),
      facts: { role: 'replica' },
      source: () => ({ ...SOURCE, role: 'replica' }),
    });
    expect(report).toMatchObject({ server: { role: 'replica' }, failure: { code: 'ERR_LEASE_UNREACHABLE' } });
  });
});

test('a backend that was refused is asked nothing', async () => {
  const refusal = new UnsupportedError('it lacks transferLease');
  const report = await checkBackend({ identity: IDENTITY, refusal, source: () => SOURCE }, clockOf(1), 'k');
  expect(report).toEqual({
    identity: IDENTITY,
    failure: refusal,
    warnings: ['known before'],
    atMs: 1_000,
    source: SOURCE,
  });
});
