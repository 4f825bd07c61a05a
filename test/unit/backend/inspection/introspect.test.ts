import { inspect } from 'node:util';
import { Mastra } from '@mastra/core';
import { InMemoryServerCache } from '@mastra/core/cache';
import { CachingPubSub, EventEmitterPubSub } from '@mastra/core/events';
import { Cluster, Redis } from 'ioredis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Introspected, introspectProvider } from '../../../../src/backend/inspection/introspect.js';
import type { LeaseProvider } from '../../../../src/lease/provider.js';
import { RedisLeaseProvider } from '../../../../src/providers/redis/index.js';
import {
  type RedisCluster,
  type RedisSentinel,
  type RedisServer,
  startCluster,
  startRedis,
  startSentinel,
} from '../../../support/redis-server.js';
import { IoredisPubSub, NodeRedisPubSub } from './providers.js';

/** Every character of it has a meaning somewhere in a URL. */
const SECRET = 'p@ss/#:w%rd?&=[] ü';
const USER = 'app/1';

let plain: RedisServer;
let secured: RedisServer;
let cluster: RedisCluster;
let sentinel: RedisSentinel;

beforeAll(async () => {
  [plain, secured, cluster, sentinel] = await Promise.all([
    startRedis({ unixSocket: true }),
    startRedis({ tls: { names: ['redis.example'] } }),
    startCluster(3),
    startSentinel({ password: SECRET }),
  ]);
  const admin = await plain.client();
  await admin.call('ACL', 'SETUSER', USER, 'on', `>${SECRET}`, '~*', '&*', '+@all');
});

afterAll(() => Promise.all([plain, secured, cluster, sentinel].map((server) => server?.stop())));

/** Opens our provider by what was found, and shows that both name the same lease. */
async function seesTheLeasesOf(provider: LeaseProvider & { close(): Promise<void> }): Promise<Introspected> {
  onTestFinished(() => provider.close());
  const found = await introspectProvider(provider);
  if (!found) return expect.fail('Nothing was found');
  const { connection, keyPrefix } = found;
  const ours = new RedisLeaseProvider({ ...connection.toOptions(), keyPrefix });
  onTestFinished(() => ours.close());
  const key = `user\0${crypto.randomUUID()}`;
  expect(await provider.acquireLease(key, 'run-1', 20_000)).toEqual({ acquired: true, owner: 'run-1' });
  expect(await ours.readLease(key)).toMatchObject({ key, owner: 'run-1' });
  const listed: string[] = [];
  for await (const lease of ours.listLeases()) listed.push(lease.key);
  expect(listed).toContain(key);
  await ours.releaseLease(key, 'run-1');
  expect(await provider.getLeaseOwner(key)).toBeUndefined();
  expect(inspect(found, { depth: 10, showHidden: true, getters: true }) + JSON.stringify(found)).not.toMatch(
    /p@ss|p%40/,
  );
  return found;
}

const hostAndPort = () => ({ host: plain.host, port: plain.port });
const encoded = encodeURIComponent(SECRET);

describe('a client of node-redis', () => {
  test('by a URL with a user, a password of every kind of character, and a database', async () => {
    const url = `redis://${encodeURIComponent(USER)}:${encoded}@127.0.0.1:${plain.port}/3`;
    const found = await seesTheLeasesOf(new NodeRedisPubSub(createClient({ url }), 'mastra:my-app'));
    expect(found).toMatchObject({
      keyPrefix: 'mastra:my-app',
      client: 'node-redis',
      className: 'NodeRedisPubSub',
      builtWithoutUrl: false,
      isDefaultAddress: false,
      isTrusted: true,
    });
    expect(found.connection).toMatchObject({
      topology: 'single',
      name: `redis://127.0.0.1:${plain.port}/3`,
      limits: [],
    });
  });

  test('by a host, a port, a login and a database apart', async () => {
    const client = createClient({ socket: hostAndPort(), username: USER, password: SECRET, database: 2 });
    const { connection } = await seesTheLeasesOf(new NodeRedisPubSub(client));
    expect(connection.name).toBe(`redis://127.0.0.1:${plain.port}/2`);
  });

  test('by the path of a Unix socket, as an option and as a URL', async () => {
    const path = plain.socketPath ?? expect.fail('no socket');
    await seesTheLeasesOf(new NodeRedisPubSub(createClient({ socket: { path, tls: false }, database: 1 })));
    const url = `unix://${encodeURIComponent(USER)}:${encoded}@${path}?db=4`;
    // node-redis' notifications cannot read a socket's URL with user info.
    const found = await seesTheLeasesOf(
      new NodeRedisPubSub(createClient({ url, maintNotifications: 'disabled' })),
    );
    expect(found.connection.name).toBe(`redis+unix://${path}?db=4`);
  });

  test.each(['text', 'bytes', 'list'])('by TLS with a name and an authority given as %s', async (form) => {
    const { ca } = secured.tls ?? expect.fail('no TLS');
    const given = form === 'text' ? ca : form === 'bytes' ? Buffer.from(ca) : [ca];
    const socket = {
      ...{ host: secured.host, port: secured.port },
      tls: true as const,
      servername: 'redis.example',
      ca: given,
    };
    await seesTheLeasesOf(new NodeRedisPubSub(createClient({ socket })));
    const { servername } = socket;
    const url = `rediss://127.0.0.1:${secured.port}`;
    await seesTheLeasesOf(
      new NodeRedisPubSub(createClient({ url, socket: { tls: true, servername, ca: given } })),
    );
  });

  test('by TLS that trusts any certificate', async () => {
    const socket = { host: secured.host, port: secured.port, tls: true as const, rejectUnauthorized: false };
    const { connection } = await seesTheLeasesOf(new NodeRedisPubSub(createClient({ socket })));
    expect(connection.toOptions().tls).toEqual({ insecure: true });
  });

  test('with a source of credentials that answers another password at each connect', async () => {
    let asked = 0;
    const admin = await plain.client();
    const credentials = async () => {
      asked += 1;
      const password = `token-${asked}`;
      await admin.call('ACL', 'SETUSER', 'rotating', 'on', 'resetpass', `>${password}`, '~*', '&*', '+@all');
      return { username: 'rotating', password };
    };
    const client = createClient({
      socket: hostAndPort(),
      credentialsProvider: { type: 'async-credentials-provider', credentials },
    });
    const { connection } = await seesTheLeasesOf(new NodeRedisPubSub(client));
    expect(connection.toOptions().url).toContain('rotating@');
    expect(asked).toBe(3);
  });

  test('with a source of credentials that streams them', async () => {
    let open = 0;
    const client = createClient({
      socket: hostAndPort(),
      credentialsProvider: {
        type: 'streaming-credentials-provider',
        subscribe: async () => {
          open += 1;
          return [{ username: USER, password: SECRET }, { dispose: () => void --open }];
        },
        onReAuthenticationError: () => {},
      },
    });
    await seesTheLeasesOf(new NodeRedisPubSub(client));
    // The application's own subscription is the one that stays.
    expect(open).toBe(1);
  });

  test('with a source of credentials that fails: the failure is that of the connection', async () => {
    const credentials = () => Promise.reject(new Error('no token for you'));
    const provider = new NodeRedisPubSub(
      createClient({
        socket: hostAndPort(),
        credentialsProvider: { type: 'async-credentials-provider', credentials },
      }),
    );
    const found = await introspectProvider(provider);
    const ours = new RedisLeaseProvider({ ...(found?.connection.toOptions() ?? expect.fail()) });
    await expect(ours.readLease('k')).rejects.toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
  });

  test('with a prefix that the client puts before every key', async () => {
    const client = createClient({ socket: hostAndPort(), keyPrefix: 'tenant-7:' });
    const found = await seesTheLeasesOf(new NodeRedisPubSub(client, 'mastra:my-app'));
    expect(found.keyPrefix).toBe('tenant-7:mastra:my-app');
  });

  test('in the database that it selected last', async () => {
    const client = createClient({ socket: hostAndPort(), database: 1 });
    const provider = new NodeRedisPubSub(client);
    await client.connect();
    await client.select(7);
    const { connection } = await seesTheLeasesOf(provider);
    expect(connection.name).toBe(`redis://127.0.0.1:${plain.port}/7`);
  });

  test('of a pool, whose options say nothing of its servers, is not found', async () => {
    const pool = createClientPool({ socket: hostAndPort() });
    onTestFinished(() => pool.destroy());
    class Pooled extends EventEmitterPubSub {
      readonly client = pool;
      readonly keyPrefix = 'mine';
    }
    expect(await introspectProvider(new Pooled())).toBeUndefined();
  });

  test('of a cluster, with and without defaults', async () => {
    const rootNodes = cluster.nodes.map(({ host, port }) => ({ url: `redis://${host}:${port}` }));
    const found = await seesTheLeasesOf(new NodeRedisPubSub(createCluster({ rootNodes })));
    expect(found).toMatchObject({
      isTrusted: true,
      builtWithoutUrl: false,
      connection: { topology: 'cluster' },
    });
    expect(found.connection.name).toBe(cluster.url);
    const sockets = cluster.nodes.map(({ host, port }) => ({ socket: { host, port } }));
    const defaults = { username: 'default', password: 'any' };
    const { connection } = await seesTheLeasesOf(
      new NodeRedisPubSub(createCluster({ rootNodes: sockets, defaults })),
    );
    expect(connection.toOptions().url).toContain('default:any@');
  });

  test('of a cluster with a map of addresses is found, and not trusted', async () => {
    const [{ host, port } = expect.fail()] = cluster.nodes;
    const client = createCluster({
      rootNodes: [{ socket: { host, port } }],
      nodeAddressMap: () => undefined,
    });
    const found = await seesTheLeasesOf(new NodeRedisPubSub(client));
    expect(found.connection.limits).toEqual(['a map of addresses']);
    expect(found.isTrusted).toBe(false);
  });

  test('under Sentinel', async () => {
    const client = createSentinel({
      name: sentinel.masterName,
      sentinelRootNodes: sentinel.sentinels.map(({ host, port }) => ({ host, port })),
      nodeClientOptions: { password: SECRET },
    });
    const { connection } = await seesTheLeasesOf(new NodeRedisPubSub(client));
    expect(connection.topology).toBe('sentinel');
    expect(connection.limits).toEqual([]);
  });

  test('that was given no address says so, and what Mastra fills in is the default address', async () => {
    const silent = await introspectProvider(new NodeRedisPubSub(createClient()));
    expect(silent).toMatchObject({ builtWithoutUrl: true, isDefaultAddress: true });
    const filledIn = await introspectProvider(
      new NodeRedisPubSub(createClient({ url: 'redis://localhost:6379' })),
    );
    expect(filledIn).toMatchObject({ builtWithoutUrl: false, isDefaultAddress: true });
  });
});

describe('a client of ioredis', () => {
  const lazyConnect = true;

  test('by a URL with a login and a database', async () => {
    const url = `redis://${encodeURIComponent(USER)}:${encoded}@127.0.0.1:${plain.port}/3`;
    const found = await seesTheLeasesOf(new IoredisPubSub(new Redis(url, { lazyConnect }), 'mastra:my-app'));
    expect(found).toMatchObject({
      keyPrefix: 'mastra:my-app',
      client: 'ioredis',
      className: 'IoredisPubSub',
      isTrusted: true,
      isDefaultAddress: false,
    });
    expect(found.connection.name).toBe(`redis://127.0.0.1:${plain.port}/3`);
  });

  test('by options, by a port alone, and with a prefix before every key', async () => {
    const options = { ...hostAndPort(), username: USER, password: SECRET, db: 5, keyPrefix: 'tenant-7:' };
    const found = await seesTheLeasesOf(new IoredisPubSub(new Redis({ ...options, lazyConnect })));
    expect(found.keyPrefix).toBe('tenant-7:mastra:topic');
    await seesTheLeasesOf(new IoredisPubSub(new Redis(plain.port, { lazyConnect, family: 4 })));
  });

  test('in the database that it selected last', async () => {
    const client = new Redis({ ...hostAndPort(), db: 1 });
    const provider = new IoredisPubSub(client);
    await client.select(7);
    expect((await seesTheLeasesOf(provider)).connection.name).toBe(`redis://127.0.0.1:${plain.port}/7`);
  });

  test('by the path of a Unix socket', async () => {
    const path = plain.socketPath ?? expect.fail('no socket');
    const { connection } = await seesTheLeasesOf(new IoredisPubSub(new Redis(path, { db: 2, lazyConnect })));
    expect(connection.name).toBe(`redis+unix://${path}?db=2`);
  });

  test('by TLS', async () => {
    const { ca } = secured.tls ?? expect.fail('no TLS');
    const tls = { servername: 'redis.example', ca };
    const { host, port } = secured;
    await seesTheLeasesOf(new IoredisPubSub(new Redis({ host, port, tls, lazyConnect })));
    await seesTheLeasesOf(new IoredisPubSub(new Redis(`rediss://${host}:${port}`, { tls, lazyConnect })));
    const anything = { rejectUnauthorized: false };
    await seesTheLeasesOf(
      new IoredisPubSub(new Redis(`rediss://${host}:${port}`, { tls: anything, lazyConnect })),
    );
  });

  test('of a cluster', async () => {
    const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
    const options = { lazyConnect, redisOptions: { keyPrefix: 'tenant-7:' } };
    const found = await seesTheLeasesOf(new IoredisPubSub(new Cluster(nodes, options)));
    expect(found).toMatchObject({ keyPrefix: 'tenant-7:mastra:topic', connection: { topology: 'cluster' } });
    expect(found.connection.name).toBe(cluster.url);
    const urls = cluster.nodes.map(({ url }) => url);
    expect(
      (await seesTheLeasesOf(new IoredisPubSub(new Cluster(urls, { lazyConnect })))).connection.name,
    ).toBe(cluster.url);
  });

  test('under Sentinel', async () => {
    const sentinels = sentinel.sentinels.map(({ host, port }) => ({ host, port }));
    const client = new Redis({ sentinels, name: sentinel.masterName, password: SECRET, lazyConnect });
    const { connection } = await seesTheLeasesOf(new IoredisPubSub(client));
    expect(connection.topology).toBe('sentinel');
  });
});

describe('a provider', () => {
  const connect = () => createClient({ socket: hostAndPort() });

  test("behind Mastra's proxy is found as it is", async () => {
    const pubsub = new NodeRedisPubSub(connect(), 'mastra:my-app');
    const mastra = new Mastra({ pubsub, logger: false });
    const found = await introspectProvider(mastra.pubsub);
    expect(found).toMatchObject({
      className: 'NodeRedisPubSub',
      keyPrefix: 'mastra:my-app',
      isTrusted: true,
    });
  });

  test("inside Mastra's cache is found by its own prefix, not by the cache's", async () => {
    const cached = new CachingPubSub(new NodeRedisPubSub(connect(), 'mine'), new InMemoryServerCache(), {
      keyPrefix: 'the cache:',
    });
    for (const pubsub of [cached, new Mastra({ pubsub: cached, logger: false }).pubsub]) {
      expect(await introspectProvider(pubsub)).toMatchObject({ keyPrefix: 'mine', isTrusted: true });
    }
  });

  test('whose methods were bound to another object is that object', async () => {
    const pubsub = new NodeRedisPubSub(connect(), 'mine');
    const leases = Object.fromEntries(
      (['acquireLease', 'getLeaseOwner', 'releaseLease', 'renewLease', 'transferLease'] as const).map(
        (name) => [name, pubsub[name].bind(pubsub)],
      ),
    );
    expect(await introspectProvider(leases)).toMatchObject({ keyPrefix: 'mine', isTrusted: true });
  });

  test('that wraps another is followed, and not trusted: it may change the keys', async () => {
    class TenantLeases implements LeaseProvider {
      readonly #cacheClient = createClient({ url: 'redis://127.0.0.1:1' });
      readonly #inner: LeaseProvider = new NodeRedisPubSub(connect(), 'mine');
      readonly client = this.#cacheClient;
      readonly acquireLease = (key: string, owner: string, ttlMs: number) =>
        this.#inner.acquireLease(`tenant:${key}`, owner, ttlMs);
      readonly getLeaseOwner = (key: string) => this.#inner.getLeaseOwner(`tenant:${key}`);
      readonly releaseLease = (key: string, owner: string) =>
        this.#inner.releaseLease(`tenant:${key}`, owner);
      readonly renewLease = (key: string, owner: string, ttlMs: number) =>
        this.#inner.renewLease(`tenant:${key}`, owner, ttlMs);
      readonly transferLease = (key: string, from: string, to: string, ttlMs: number) =>
        this.#inner.transferLease(`tenant:${key}`, from, to, ttlMs);
    }
    const found = await introspectProvider(new TenantLeases());
    expect(found).toMatchObject({ className: 'TenantLeases', keyPrefix: 'mine', isTrusted: false });
    expect(found?.connection.name).toBe(`redis://127.0.0.1:${plain.port}/0`);
  });

  test('of a subclass is found by its base class, and trusted only while no lease method is overridden', async () => {
    class Named extends NodeRedisPubSub {
      readonly #keyPrefix = undefined;
      readonly name = String(this.#keyPrefix);
    }
    class Tenant extends NodeRedisPubSub {
      override getLeaseOwner(key: string) {
        return super.getLeaseOwner(`tenant:${key}`);
      }
    }
    class Plain extends NodeRedisPubSub {}
    expect(await introspectProvider(new Plain(connect(), 'mine'))).toMatchObject({
      keyPrefix: 'mine',
      isTrusted: true,
    });
    expect(await introspectProvider(new Tenant(connect(), 'mine'))).toMatchObject({
      keyPrefix: 'mine',
      isTrusted: false,
    });
    expect(await introspectProvider(new Named(connect(), 'mine'))).toMatchObject({
      keyPrefix: 'mine',
      isTrusted: false,
    });
  });

  test('behind a proxy that changes keys is not trusted', async () => {
    const target = new NodeRedisPubSub(connect(), 'mine');
    const proxy = new Proxy(target, {
      get: (of, name) =>
        name === 'getLeaseOwner'
          ? (key: string) => of.getLeaseOwner(`tenant:${key}`)
          : Reflect.get(of, name, of),
    });
    expect(await introspectProvider(proxy)).toMatchObject({ keyPrefix: 'mine', isTrusted: false });
  });

  test('with two clients is read by the one that writes, and not trusted when neither says that it does', async () => {
    const other = () => createClient({ socket: { ...hostAndPort() }, database: 9 });
    class TwoClients extends NodeRedisPubSub {
      readonly #subscriber = other();
      readonly both = [this.#subscriber];
    }
    const found = await introspectProvider(new TwoClients(connect(), 'mine'));
    expect(found).toMatchObject({
      isTrusted: true,
      connection: { name: `redis://127.0.0.1:${plain.port}/0` },
    });
    class Unclear extends EventEmitterPubSub {
      readonly keyPrefix = 'mine';
      readonly first = connect();
      readonly second = other();
      override async getLeaseOwner() {
        return undefined;
      }
    }
    expect(await introspectProvider(new Unclear())).toMatchObject({ keyPrefix: 'mine', isTrusted: false });
  });

  test('whose client is still a promise, or whose settings are kept whole, is found', async () => {
    class Late extends EventEmitterPubSub {
      readonly #client: Promise<unknown>;
      readonly config = { keyPrefix: 'mine' };
      constructor() {
        super();
        this.#client = Promise.resolve(connect());
        this.#client.catch(() => {});
      }
    }
    const late = new Late();
    await Promise.resolve();
    expect(await introspectProvider(late)).toMatchObject({ keyPrefix: 'mine', isTrusted: false });
  });

  test('without a prefix of its own, or of another kind, is no ground for trust', async () => {
    class NoPrefix extends EventEmitterPubSub {
      readonly client = connect();
    }
    const found = await introspectProvider(new NoPrefix());
    expect(found?.keyPrefix).toBeUndefined();
    expect(found?.isTrusted).toBe(false);
    expect(await introspectProvider(new EventEmitterPubSub())).toBeUndefined();
    for (const value of [undefined, null, 1, 'text', () => {}, {}, Promise.resolve()]) {
      expect(await introspectProvider(value)).toBeUndefined();
    }
  });

  test('whose client was told what no connection can be made of is not found', async () => {
    const told = [
      createClient({ socket: { host: 'not a host', port: 1 } }),
      createClient({ socket: { host: 'fe80::1%eth0', port: 1 } }),
      createClient({ socket: { host: 'h', port: 70_000 } }),
      createSentinel({ name: '', sentinelRootNodes: [{ host: 's', port: 1 }] }),
    ];
    for (const client of told) expect(await introspectProvider(new NodeRedisPubSub(client))).toBeUndefined();
    const none = new IoredisPubSub(new Cluster([], { lazyConnect: true }));
    expect(await introspectProvider(none)).toBeUndefined();
    const ipv6 = await introspectProvider(new NodeRedisPubSub(createClient({ url: 'redis://[::1]:6379/1' })));
    expect(ipv6?.connection.toOptions().url).toBe('redis://[::1]:6379/1');
  });

  test('that resists being read ends nothing', async () => {
    const angry = new Proxy(
      {},
      {
        get: () => {
          throw new Error('get');
        },
        getPrototypeOf: () => {
          throw new Error('getPrototypeOf');
        },
        ownKeys: () => {
          throw new Error('ownKeys');
        },
      },
    );
    const { proxy: revoked, revoke } = Proxy.revocable(new NodeRedisPubSub(connect()), {});
    revoke();
    const round = {
      getLeaseProvider: () => round,
    };
    for (const value of [angry, revoked, round]) expect(await introspectProvider(value)).toBeUndefined();
  });

  test('is read without a trace: nothing stays in the global object, and no accessor runs', async () => {
    let ran = 0;
    class Watched extends NodeRedisPubSub {
      get client() {
        ran += 1;
        return undefined;
      }
      get #keyPrefix() {
        ran += 1;
        return 'no';
      }
      peek() {
        return this.#keyPrefix;
      }
    }
    const before = Reflect.ownKeys(globalThis).length;
    const provider = new Watched(connect(), 'mine');
    expect(await introspectProvider(provider)).toMatchObject({ keyPrefix: 'mine' });
    expect(Reflect.ownKeys(globalThis)).toHaveLength(before);
    expect(ran).toBe(0);
  });
});
