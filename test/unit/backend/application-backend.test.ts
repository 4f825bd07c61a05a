import { Mastra } from '@mastra/core';
import { InMemoryServerCache } from '@mastra/core/cache';
import { CachingPubSub, EventEmitterPubSub } from '@mastra/core/events';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type ApplicationBackendOptions,
  examineApplication,
} from '../../../src/backend/application-backend.js';
import type { LocatedBackend } from '../../../src/backend/locate.js';
import { examineBackend, openBackend } from '../../../src/backend/open.js';
import { LOAD_MS } from '../../../src/cli/locate.js';
import { systemClock } from '../../../src/lease/clock.js';
import { LEASE_METHODS } from '../../../src/lease/provider.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { NodeRedisPubSub } from './inspection/providers.js';
import { fixture } from './module/load-task.js';

const FILE = '/app/src/pubsub.ts';

const LOCATED: LocatedBackend = {
  spec: { kind: 'module', path: FILE },
  foundBy: '--context',
  context: 'prod',
  isImplied: false,
  isNamed: true,
  steps: [],
  settings: {},
};

const OPTIONS: ApplicationBackendOptions = {
  settings: {},
  budget: () => 2_000,
  clock: systemClock,
  env: {},
  isIntrospected: true,
  allowsNoop: false,
};

function examine(backend: unknown, options: Partial<ApplicationBackendOptions> = {}, located = LOCATED) {
  const application = { backend, path: ['export pubsub'], file: FILE, envFiles: [] };
  return examineApplication(application, located, { ...OPTIONS, ...options });
}

const ALL = Object.fromEntries(LEASE_METHODS.map((method) => [method, true]));

describe('a backend that leases in Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.stop());

  test('is named by its module, class, server, prefix, context and step, and by its role once it answered', async () => {
    const { identity, backend, refusal, source, probe, readServerFacts, close } = await examine(
      new NodeRedisPubSub(createClient({ url: server.url }), 'mine'),
    );
    onTestFinished(close);
    expect(identity).toMatchObject({
      className: 'NodeRedisPubSub',
      file: FILE,
      unwrapping: ['export pubsub'],
      methods: ALL,
      traits: {},
      inspector: { name: `${server.url}/0 · mine`, how: 'introspection', isTrusted: true },
      warnings: [],
    });
    expect(identity).not.toHaveProperty('confinement');
    expect(refusal).toBeUndefined();
    expect(source()).toEqual({
      backend: FILE,
      foundBy: '--context',
      context: 'prod',
      provider: 'NodeRedisPubSub',
      server: `${server.url}/0`,
      keyPrefix: 'mine',
      database: 0,
    });
    expect(await backend?.readLease('k')).toBeUndefined();
    expect(backend?.source().role).toBe('primary');
    expect(await readServerFacts?.()).toMatchObject({ role: 'primary', evictionPolicy: 'noeviction' });
    expect(await probe?.()).toEqual({ ok: true });
  });

  test('is closed at the end, with what lists its leases', async () => {
    const client = createClient({ url: server.url });
    const { backend, close } = await examine(new NodeRedisPubSub(client, 'mine'));
    await backend?.readLease('k');
    expect(client.isOpen).toBe(true);
    await close();
    expect(client.isOpen).toBe(false);
    await expect(backend?.inspector?.readLease('k')).rejects.toThrow();
  });

  test('of a Mastra, behind its proxy, is the class that was given to it', async () => {
    const pubsub = new NodeRedisPubSub(createClient({ url: server.url }), 'mine');
    const { identity, close } = await examine(new Mastra({ pubsub, logger: false }).pubsub);
    onTestFinished(close);
    expect(identity).toMatchObject({
      className: 'NodeRedisPubSub',
      methods: ALL,
      inspector: { how: 'introspection', isTrusted: true },
    });
  });

  test('behind a cache is what its getLeaseProvider() answers', async () => {
    const inner = new NodeRedisPubSub(createClient({ url: server.url }), 'mine');
    const { identity, close } = await examine(new CachingPubSub(inner, new InMemoryServerCache()));
    onTestFinished(async () => {
      await close();
      await inner.close();
    });
    expect(identity).toMatchObject({
      className: 'NodeRedisPubSub',
      unwrapping: ['export pubsub', 'getLeaseProvider()'],
    });
  });
});

describe('a backend whose leases live inside one process is refused', () => {
  class Tuned extends EventEmitterPubSub {}
  const declared = Object.assign(new MemoryLeaseProvider(), { leaseTraits: { scope: 'process' } });
  /** As another copy of `@mastra/core` brings it. */
  const { EventEmitterPubSub: SecondCopy } = {
    EventEmitterPubSub: class EventEmitterPubSub extends MemoryLeaseProvider {
      override acquireLease(...args: Parameters<MemoryLeaseProvider['acquireLease']>) {
        return super.acquireLease(...args);
      }
      override getLeaseOwner(key: string) {
        return super.getLeaseOwner(key);
      }
      override releaseLease(...args: Parameters<MemoryLeaseProvider['releaseLease']>) {
        return super.releaseLease(...args);
      }
      override renewLease(...args: Parameters<MemoryLeaseProvider['renewLease']>) {
        return super.renewLease(...args);
      }
      override transferLease(...args: Parameters<MemoryLeaseProvider['transferLease']>) {
        return super.transferLease(...args);
      }
    },
  };

  test.each([
    ['EventEmitterPubSub', new EventEmitterPubSub()],
    ['EventEmitterPubSub', new SecondCopy()],
    ['Tuned', new Tuned()],
    ['EventEmitterPubSub', new CachingPubSub(new EventEmitterPubSub(), new InMemoryServerCache())],
    ['EventEmitterPubSub', new Mastra({ logger: false }).pubsub],
    ['MemoryLeaseProvider', declared],
  ])('%s', async (className, pubsub) => {
    for (const allowsNoop of [false, true]) {
      const { backend, identity, refusal } = await examine(pubsub, { allowsNoop });
      expect(backend).toBeUndefined();
      expect(identity).toMatchObject({ className, confinement: 'process', methods: ALL });
      expect(refusal).toMatchObject({
        code: 'ERR_LEASE_UNSUPPORTED',
        message: expect.stringContaining(`The leases of ${className} live inside the application's process`),
      });
    }
  });
});

test('one whose leases end with the process that took them can be read, and gives none', async () => {
  class UnixSocketPubSub extends NodeRedisPubSub {
    override async acquireLease() {
      return expect.fail('it was called');
    }
    override async getLeaseOwner() {
      return 'run-1';
    }
    override async releaseLease() {}
    override async renewLease() {
      return expect.fail('it was called');
    }
    override async transferLease() {
      return expect.fail('it was called');
    }
  }
  const pubsub = new UnixSocketPubSub(createClient({ url: 'redis://127.0.0.1:1' }));
  const { backend, identity } = await examine(pubsub, { isIntrospected: false });
  expect(identity.confinement).toBe('caller');
  expect(await backend?.readLease('k')).toEqual({ key: 'k', owner: 'run-1' });
  for (const write of [
    backend?.provider.acquireLease('k', 'o', 1_000),
    backend?.provider.renewLease('k', 'o', 1_000),
    backend?.provider.transferLease('k', 'o', 'p', 1_000),
  ]) {
    await expect(write).rejects.toThrow('counts as free once the process that took it is gone');
  }
});

describe('a backend without all five methods', () => {
  const { transferLease: _, ...four } = Object.fromEntries(
    LEASE_METHODS.map((method) => [method, async () => undefined]),
  );

  test.each([
    [
      'all five methods (acquireLease, getLeaseOwner, releaseLease, renewLease, transferLease)',
      { publish() {} },
    ],
    ['transferLease', four],
    ['all five methods (', { ...four, transferLease() {}, getLeaseProvider: (): undefined => undefined }],
    ['all five methods (', { getLeaseProvider: async () => new MemoryLeaseProvider() }],
  ])('is refused by their names: %s', async (names, pubsub) => {
    const { backend, identity, refusal } = await examine(pubsub);
    expect(backend).toBeUndefined();
    expect(identity.methods).toEqual({ ...ALL, ...allFalse(names) });
    expect(refusal?.message).toContain(`cannot lease: it lacks ${names}`);
    expect(refusal?.remedy).toContain('--allow-noop');
  });

  test('is what the runtime would make of it with --allow-noop: every caller wins', async () => {
    const { backend, refusal } = await examine(four, { allowsNoop: true });
    expect(refusal).toBeUndefined();
    expect(backend?.source()).toMatchObject({ isNoop: true });
    expect(await backend?.reporter?.tryAcquire('k', 'run-1', 1)).toMatchObject({
      done: true,
      holder: 'run-1',
    });
    expect(await backend?.readLease('k')).toBeUndefined();
    expect(backend?.inspector).toBeUndefined();
  });

  function allFalse(names: string) {
    const missing = LEASE_METHODS.filter((method) => names.includes(method) || names.startsWith('all five'));
    return Object.fromEntries(missing.map((method) => [method, false]));
  }
});

test.each([
  [
    'getLeaseProvider()',
    {
      getLeaseProvider(): never {
        throw new RangeError('LEASE_URL redis://user:hunter2@cache is not set\nsee the handbook');
      },
    },
  ],
  [
    'a getter',
    {
      get acquireLease() {
        throw new RangeError('LEASE_URL redis://user:hunter2@cache is not set\nsee the handbook');
      },
    },
  ],
])('a backend that fails at being looked at is told as its own failure: %s', async (_, pubsub) => {
  await expect(examine(pubsub)).rejects.toMatchObject({
    code: 'ERR_LEASE_INVALID_CONFIG',
    message: expect.stringMatching(
      /^\/app\/src\/pubsub\.ts → export pubsub failed when .*: RangeError: LEASE_URL redis:\/\/…@cache is not set \(at /,
    ),
  });
});

test('what it declares of itself is told', async () => {
  const traits = { atomicTransfer: false, scope: 'host' };
  const pubsub = Object.assign(new MemoryLeaseProvider(), { leaseTraits: traits });
  const { identity, source } = await examine(pubsub, { isIntrospected: false });
  expect(identity.traits).toEqual(traits);
  expect(source()).toMatchObject({ scope: 'host' });
});

describe('an application that does not load in its time', () => {
  const host = { env: {}, cacheDir: undefined };
  const options = { ...OPTIONS, access: 'read', host, loadMs: 300 } as const;
  const located = (path: string): LocatedBackend => ({ ...LOCATED, spec: { kind: 'module', path } });

  test('has 30 s by the program', () => {
    expect(LOAD_MS).toBe(30_000);
  });

  test('is given up: the file where it waits is named', async () => {
    const path = fixture('never-settles/pubsub.ts');
    for (const open of [openBackend, examineBackend]) {
      await expect(open(located(path), options)).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: expect.stringMatching(/still waiting at its top level after 0\.\d s, in .*connection\.ts$/),
      });
    }
  });
});
