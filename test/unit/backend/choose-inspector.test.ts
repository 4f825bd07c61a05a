import { InMemoryServerCache } from '@mastra/core/cache';
import { CachingPubSub, EventEmitterPubSub } from '@mastra/core/events';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { GuardedProvider } from '../../../src/backend/guarded-provider.js';
import {
  type ChosenInspector,
  chooseInspector,
  type InspectorOptions,
} from '../../../src/backend/inspection/choose-inspector.js';
import { systemClock } from '../../../src/lease/clock.js';
import type { Lease, LeaseInspector } from '../../../src/lease/inspector.js';
import type { LeaseProvider } from '../../../src/lease/provider.js';
import { RedisLeaseProvider } from '../../../src/providers/redis/index.js';
import { SqliteLeaseProvider } from '../../../src/providers/sqlite/index.js';
import { writeHistory } from '../../redis/thread-events.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { NodeRedisPubSub } from './inspection/providers.js';

const THREAD = 'user-42\0t-1';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});
beforeEach(async () => {
  await (await server.client()).flushall();
});
afterAll(() => server.stop());

/** The application's pubsub, built as Mastra's. */
function openPubSub(keyPrefix = 'mine', url = server.url): NodeRedisPubSub {
  const pubsub = new NodeRedisPubSub(createClient({ url }), keyPrefix);
  onTestFinished(() => pubsub.close());
  return pubsub;
}

async function choose(
  subject: LeaseProvider,
  options: Partial<InspectorOptions> = {},
): Promise<ChosenInspector | undefined> {
  const budget = () => 2_000;
  const foreigner = { name: 'TheirPubSub', budget, clock: systemClock };
  const chosen = await chooseInspector({
    subject,
    provider: new GuardedProvider(subject, foreigner, { isBoundToCaller: false }),
    foreigner,
    settings: {},
    isIntrospected: true,
    env: {},
    budget,
    ...options,
  });
  onTestFinished(async () => chosen?.close());
  return chosen;
}

/** The keys that it lists, or the code of its failure. */
async function listed(chosen: ChosenInspector | undefined): Promise<readonly string[] | string> {
  if (!chosen) return expect.fail('nothing was chosen');
  return keysOf(chosen.inspector);
}

async function keysOf(inspector: LeaseInspector): Promise<readonly string[] | string> {
  const keys: string[] = [];
  try {
    for await (const { key } of inspector.listLeases()) keys.push(key);
    return keys;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** A pubsub that lists by itself. */
function withInspector(inspector: object): LeaseProvider {
  return Object.assign(openPubSub(), inspector);
}

const ONE: Lease = { key: 'k', owner: 'run-1', remainingMs: 1_000 };

describe("the backend's own inspector", () => {
  test('goes before everything else, and is believed', async () => {
    const own = {
      readLease: async () => ONE,
      async *listLeases() {
        yield ONE;
      },
    };
    const inspect = { kind: 'redis', url: server.url } as const;
    const chosen = await choose(withInspector(own), { inspect, env: { REDIS_URL: server.url } });
    expect(chosen?.identity).toEqual({ name: 'the provider itself', how: 'own', isTrusted: true });
    expect(await listed(chosen)).toEqual(['k']);
    expect(await chosen?.inspector.readLease('k')).toEqual(ONE);
  });

  test('is given up when it never answers, at its start or on the way', async () => {
    const never = () => new Promise<never>(() => {});
    const budget = () => 20;
    const foreigner = { name: 'TheirPubSub', budget, clock: systemClock };
    const silent = withInspector({
      readLease: never,
      listLeases: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }),
    });
    const chosen = await choose(silent, { foreigner });
    expect(await listed(chosen)).toBe('ERR_LEASE_UNREACHABLE');
    await expect(chosen?.inspector.readLease('k')).rejects.toMatchObject({
      code: 'ERR_LEASE_UNREACHABLE',
      message: 'readLease of TheirPubSub: it did not answer in time; nothing was changed',
    });
    const stuck = withInspector({
      readLease: never,
      async *listLeases() {
        yield ONE;
        await never();
      },
    });
    expect(await listed(await choose(stuck, { foreigner }))).toBe('ERR_LEASE_INCOMPLETE');
  });

  test.each([
    ['nothing', () => undefined, 'an async iterable', 'undefined'],
    ['a list', () => [ONE], 'an async iterable', 'an array'],
    ['a lease without its time', () => [{ key: 'k', owner: 'run-1' }].values(), '', ''],
    ['a lease with a time that is none', () => [{ ...ONE, remainingMs: Number.NaN }].values(), '', ''],
    ['a lease of nobody', () => [{ ...ONE, owner: undefined }].values(), '', ''],
  ])('that lists %s breaks the contract, and says how', async (_, answer, expected, got) => {
    const listLeases = () => {
      const leases = answer();
      if (!leases || Array.isArray(leases)) return leases;
      return {
        async *[Symbol.asyncIterator]() {
          yield* leases;
        },
      };
    };
    const chosen = await choose(withInspector({ readLease: async () => null, listLeases }));
    expect(await listed(chosen)).toBe('ERR_LEASE_UNEXPECTED_REPLY');
    await expect(chosen?.inspector.readLease('k')).rejects.toThrow(
      /from readLease of TheirPubSub, got null$/,
    );
    if (expected === '') return;
    await expect(chosen?.inspector.listLeases()[Symbol.asyncIterator]().next()).rejects.toThrow(
      `Expected ${expected} from listLeases of TheirPubSub, got ${got}`,
    );
  });

  test('reads events as well where it can, and what it tells has their shape', async () => {
    await using theirs = Object.assign(new RedisLeaseProvider({ url: server.url }), {
      async [Symbol.asyncDispose]() {
        await theirs.close();
      },
    });
    await writeHistory(await server.client(), THREAD, [[0, { type: 'run-registered', runId: 'run-1' }]]);
    expect(await (await choose(theirs))?.evidence?.readThread(THREAD)).toMatchObject({
      runs: [{ runId: 'run-1' }],
    });
    const wrong = Object.assign(theirs, { readThread: async () => ({ events: 'many' }) });
    await expect((await choose(wrong))?.evidence?.readThread(THREAD)).rejects.toThrow(
      "Expected a thread's activity or undefined from readThread of TheirPubSub, got an object with events",
    );
  });

  test('is told when nobody reads on', async () => {
    let ended = 0;
    const endless = withInspector({
      readLease: async () => ONE,
      async *listLeases() {
        try {
          for (;;) yield ONE;
        } finally {
          ended += 1;
        }
      },
    });
    const chosen = await choose(endless);
    for await (const lease of chosen?.inspector.listLeases() ?? []) {
      expect(lease).toEqual(ONE);
      break;
    }
    expect(ended).toBe(1);
  });
});

describe('`inspect` of the config', () => {
  test('goes before what the provider hides, with the prefix of the config, and must be agreed with', async () => {
    const pubsub = openPubSub('mine');
    await pubsub.acquireLease('k', 'run-1', 60_000);
    const inspect = { kind: 'redis', url: server.url } as const;
    const right = await choose(pubsub, { inspect, settings: { keyPrefix: 'mine' } });
    expect(right?.identity).toEqual({
      name: `${server.url}/0 · mine`,
      how: 'config inspect',
      isTrusted: false,
    });
    expect(await listed(right)).toEqual(['k']);
    const wrong = await choose(pubsub, { inspect });
    expect(await listed(wrong)).toBe('ERR_LEASE_UNVERIFIED');
  });

  test('may be an SQLite file', async () => {
    await using folder = await makeTempDir();
    const path = `${folder.path}/leases.db`;
    await using leases = Object.assign(new SqliteLeaseProvider({ path }), {
      async [Symbol.asyncDispose]() {
        await leases.close();
      },
    });
    await leases.acquireLease('k', 'run-1', 60_000);
    const contract: LeaseProvider = {
      acquireLease: (...args) => leases.acquireLease(...args),
      getLeaseOwner: (...args) => leases.getLeaseOwner(...args),
      releaseLease: (...args) => leases.releaseLease(...args),
      renewLease: (...args) => leases.renewLease(...args),
      transferLease: (...args) => leases.transferLease(...args),
    };
    const chosen = await choose(contract, { inspect: { kind: 'sqlite', path } });
    expect(chosen?.identity).toMatchObject({ name: `sqlite:${path}`, how: 'config inspect' });
    expect(await listed(chosen)).toEqual(['k']);
    expect(chosen?.redis).toBeUndefined();
  });

  test('that names no place which can be listed is refused: file and field are named', async () => {
    const refused = choose(openPubSub(), {
      inspect: { kind: 'module', path: '/app/pubsub.ts' },
      configPath: '/app/mastra-lease.config.ts',
    });
    await expect(refused).rejects.toMatchObject({
      code: 'ERR_LEASE_INVALID_CONFIG',
      message: expect.stringMatching(
        /^\/app\/mastra-lease\.config\.ts: inspect: expected a redis:\/\/ URL or sqlite:PATH/,
      ),
    });
  });
});

describe('what the provider hides', () => {
  test('is its prefix and connection, and vouches for an empty listing', async () => {
    const chosen = await choose(openPubSub('mine'), { env: { REDIS_URL: 'redis://127.0.0.1:1' } });
    expect(chosen?.identity).toEqual({
      name: `${server.url}/0 · mine`,
      how: 'introspection',
      isTrusted: true,
    });
    expect(await listed(chosen)).toEqual([]);
    expect(chosen?.redis?.keyPrefix).toBe('mine');
    expect(chosen?.warnings).toEqual([]);
  });

  test('does not overrule the prefix that the user gave, which then has to prove itself', async () => {
    const pubsub = openPubSub('mine');
    await pubsub.acquireLease('k', 'run-1', 60_000);
    const same = await choose(pubsub, { settings: { keyPrefix: 'mine' } });
    expect(same?.identity.isTrusted).toBe(true);
    const other = await choose(pubsub, { settings: { keyPrefix: 'other' } });
    expect(other?.identity).toMatchObject({ name: `${server.url}/0 · other`, isTrusted: false });
    expect(await listed(other)).toBe('ERR_LEASE_UNVERIFIED');
  });

  test('may be a provider of this library, which lists by itself', async () => {
    const inner = new RedisLeaseProvider({ url: server.url, keyPrefix: 'held' });
    onTestFinished(() => inner.close());
    class HandingOn extends EventEmitterPubSub {
      readonly #leases = inner;
      override acquireLease(...args: Parameters<LeaseProvider['acquireLease']>) {
        return this.#leases.acquireLease(...args);
      }
      override getLeaseOwner(key: string) {
        return this.#leases.getLeaseOwner(key);
      }
    }
    const pubsub = new HandingOn();
    const chosen = await choose(pubsub);
    expect(chosen?.identity).toMatchObject({
      name: `${server.url}/0`,
      how: 'introspection',
      isTrusted: false,
    });
    expect(await listed(chosen)).toBe('ERR_LEASE_UNVERIFIED');
    await pubsub.acquireLease('k', 'run-1', 60_000);
    expect(await listed(chosen)).toEqual(['k']);
  });

  test('may be a provider of this library, whose events are believed once it was seen to hold the leases', async () => {
    const inner = new RedisLeaseProvider({ url: server.url });
    onTestFinished(() => inner.close());
    class HandingOn extends EventEmitterPubSub {
      readonly #leases = inner;
      override getLeaseOwner(key: string) {
        return this.#leases.getLeaseOwner(key);
      }
    }
    await writeHistory(await server.client(), THREAD, [[0, { type: 'run-registered', runId: 'run-1' }]]);
    const { evidence } = (await choose(new HandingOn())) ?? {};
    await expect(evidence?.readThread(THREAD)).rejects.toMatchObject({ code: 'ERR_LEASE_UNVERIFIED' });
    await inner.acquireLease(THREAD, 'run-1', 60_000);
    expect(await evidence?.readThread(THREAD)).toMatchObject({ runs: [{ runId: 'run-1' }] });
  });

  test('warns of a client that talks to localhost, as one does that was given no URL; nothing is connected', async () => {
    const chosen = await choose(new NodeRedisPubSub(createClient(), 'mine'));
    expect(chosen?.warnings).toEqual([
      'its Redis client talks to localhost: was it built without a URL (an unset REDIS_URL does that silently)?',
    ]);
  });

  test('is not trusted in a provider that holds another, which may have the leases', async () => {
    class Decorated extends NodeRedisPubSub {
      readonly #inner = new CachingPubSub(new EventEmitterPubSub(), new InMemoryServerCache());
      readonly inner = () => this.#inner;
    }
    const pubsub = new Decorated(createClient({ url: server.url }), 'mine');
    const chosen = await choose(pubsub);
    expect(chosen?.identity).toMatchObject({ name: `${server.url}/0 · mine`, isTrusted: false });
    expect(await listed(chosen)).toBe('ERR_LEASE_UNVERIFIED');
  });

  test('is left alone where the user says so', async () => {
    expect(await choose(openPubSub(), { isIntrospected: false })).toBeUndefined();
  });
});

describe('a variable of Redis', () => {
  test.each(['REDIS_URL', 'VALKEY_URL'])('is the last resort, and must be agreed with: %s', async (name) => {
    const pubsub = openPubSub('mine');
    const options = { isIntrospected: false, env: { [name]: server.url }, settings: { keyPrefix: 'mine' } };
    const chosen = await choose(pubsub, options);
    expect(chosen?.identity).toMatchObject({ how: name, isTrusted: false });
    expect(await listed(chosen)).toBe('ERR_LEASE_UNVERIFIED');
    expect(await chosen?.verified?.probe()).toEqual({ ok: true });
    expect(await listed(chosen)).toEqual([]);
    expect(await (await server.client()).keys('*')).toEqual([]);
  });

  test('that is empty is none', async () => {
    expect(await choose(openPubSub(), { isIntrospected: false, env: { REDIS_URL: '' } })).toBeUndefined();
  });
});
