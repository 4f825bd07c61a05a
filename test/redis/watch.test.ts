import { getEventListeners } from 'node:events';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { findFreePort } from '../support/free-port.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { type ToldChange, WatchedView } from '../support/watched-view.js';
import { openProvider, readAll, recordOf } from './open-provider.js';

let server: RedisServer;
let direct: Redis;

beforeAll(async () => {
  server = await startRedis();
  direct = await server.client();
});

afterAll(() => server.stop());

beforeEach(() => direct.flushall());

function watch(provider: RedisLeaseProvider, keys?: readonly string[]): WatchedView {
  return WatchedView.of((options) => provider.watchLeases(options), keys ? { keys } : {});
}

async function watchLive(url: string, keys?: readonly string[]): Promise<WatchedView> {
  const view = watch(openProvider(url), keys);
  await view.untilLive();
  return view;
}

/** What was told of leases, in order: `key=owner` or `key free`. */
function toldOf(changes: readonly ToldChange[]): string[] {
  return changes.flatMap((change) => {
    if (change.kind === 'held') return change.leases.map(({ key, owner }) => `${key}=${owner}`);
    return change.kind === 'free' ? change.keys.map((key) => `${key} free`) : [];
  });
}

describe('what is told', () => {
  test('a snapshot, then that the view is live and what that costs, then each change in its order', async () => {
    const provider = openProvider(server.url);
    await provider.acquireLease('a', 'o', 60_000);
    const view = await watchLive(server.url);
    expect(view.changes).toEqual([
      { kind: 'snapshot-start' },
      {
        kind: 'held',
        leases: [{ key: 'a', owner: 'o', remainingMs: expect.any(Number) }],
        readAtMs: expect.any(Number),
      },
      { kind: 'snapshot-end' },
      { kind: 'live', how: 'pushed', commandsPerSecond: 0.6 },
    ]);
    const told = async (text: string, count = 1) => {
      await view.until(() => toldOf(view.changes).filter((line) => line === text).length === count);
    };
    await provider.acquireLease('b', 'o', 60_000);
    await told('b=o');
    await provider.renewLease('b', 'o', 90_000);
    await told('b=o', 2);
    expect(view.leases.get('b')?.remainingMs).toBeGreaterThan(60_000);
    await provider.transferLease('b', 'o', 'p', 60_000);
    await told('b=p');
    await provider.releaseLease('b', 'p');
    await told('b free');
    await direct.persist(recordOf('a'));
    await told('a=o', 2);
    expect(view.leases.get('a')).toEqual({ key: 'a', owner: 'o', remainingMs: null });
    await provider.acquireLease('c', 'o', 150);
    await told('c free');
    expect(toldOf(view.changes)).toEqual(['a=o', 'b=o', 'b=o', 'b=p', 'b free', 'a=o', 'c=o', 'c free']);
    expect(view.snapshots).toBe(1);
  });

  test('keys come back exactly, what is no text in hex, and what is no lease not at all', async () => {
    const view = await watchLive(server.url);
    const keys = ['user\0thread', '\ufeffbom', '\ufffd', '{a}[b]*?\\', '🔒', 'x'.repeat(4_096)];
    for (const key of keys) await direct.set(recordOf(key), key);
    const latin1 = Buffer.from('caf\u00e9', 'latin1');
    const record = Buffer.concat([Buffer.from(recordOf('')), latin1]);
    await direct.set(record, Buffer.from([0xff]));
    await direct.xadd(recordOf('topic'), '*', 'event', '{}');
    await direct.set('mastra:topic:leases:x', 'o');
    await direct.set(recordOf('last'), 'o');
    await view.until(() => view.leases.has('last'));
    const hex = latin1.toString('hex');
    expect([...view.leases.keys()].sort()).toEqual([...keys, hex, 'last'].sort());
    for (const key of keys) expect(view.leases.get(key)).toEqual({ key, owner: key, remainingMs: null });
    expect(view.leases.get(hex)).toMatchObject({ key: 'caf\ufffd', owner: '\ufffd', ownerHex: 'ff' });
    await direct.del(record);
    await view.until(() => view.freedAtMs.has('caf\ufffd'));
    await direct.del(recordOf('last'));
    await direct.xadd(recordOf('last'), '*', 'event', '{}');
    await view.until(() => view.freedAtMs.has('last'));
  });

  test('with keys only those, and nothing is asked about others', async () => {
    await using proxy = await startTcpProxy(server);
    const provider = openProvider(server.url);
    for (const key of ['a', 'b', 'other']) await provider.acquireLease(key, 'o', 60_000);
    const view = await watchLive(proxy.url, ['a', 'free', 'a']);
    expect(view.held).toEqual(['a=o']);
    expect(proxy.commands.filter(([name]) => name === 'get')).toHaveLength(2);
    proxy.clear();
    await provider.transferLease('other', 'o', 'p', 60_000);
    await provider.acquireLease('ab', 'p', 60_000);
    await provider.transferLease('a', 'o', 'p', 60_000);
    await provider.acquireLease('free', 'q', 60_000);
    await view.until(() => view.held.join() === 'a=p,free=q');
    await provider.releaseLease('a', 'p');
    await view.until(() => view.held.join() === 'free=q');
    expect(proxy.commands.map(([name, record]) => [name, record]).filter(([name]) => name === 'get')).toEqual(
      ['a', 'free', 'a'].map((key) => ['get', recordOf(key)]),
    );
  });

  test('FLUSHALL is followed by a snapshot, also many times in a row', async () => {
    const provider = openProvider(server.url);
    for (let index = 0; index < 50; index += 1) await provider.acquireLease(`k${index}`, 'o', 60_000);
    const view = await watchLive(server.url);
    expect(view.held).toHaveLength(50);
    await direct.flushall();
    await view.until(() => view.held.length === 0);
    for (let round = 0; round < 20; round += 1) {
      await provider.acquireLease(`again ${round}`, 'o', 60_000);
      await direct.flushall();
    }
    await provider.acquireLease('last', 'o', 60_000);
    await view.until(() => view.isLive && view.held.join() === 'last=o');
    expect(view.snapshots).toBeGreaterThan(1);
  });

  test('another database and another prefix are none of its business', async () => {
    const view = await watchLive(server.url);
    await openProvider(`${server.url}/1`).acquireLease('a', 'other database', 60_000);
    await openProvider(server.url, { keyPrefix: 'mastra' }).acquireLease('a', 'other prefix', 60_000);
    await openProvider(server.url).acquireLease('last', 'o', 60_000);
    await view.until(() => view.held.length > 0);
    expect(view.held).toEqual(['last=o']);
    await using proxy = await startTcpProxy(server);
    const second = await watchLive(`${proxy.url}/1`);
    expect(second.held).toEqual(['a=other database']);
  });
});

test('TLS, a password and a Unix socket are used as for any call', async () => {
  await using secured = await startRedis({ tls: true, password: 's3cret', unixSocket: true });
  const admin = await secured.client();
  await admin.set(recordOf('k'), 'o', 'PX', 60_000);
  const views = [
    watch(openProvider(secured.url, { tls: { ca: secured.tls?.ca ?? '' } })),
    watch(openProvider(`redis+unix://:s3cret@${secured.socketPath}`)),
    watch(
      openProvider(secured.url.replace('s3cret', 'other'), {
        tls: { insecure: true },
        password: () => 's3cret',
      }),
    ),
  ];
  for (const view of views) await view.untilLive();
  await admin.set(recordOf('k'), 'p', 'PX', 60_000);
  for (const view of views) await view.until(() => view.held.join() === 'k=p');
});

describe('what it costs', () => {
  /** Everything but the heartbeat: PING, and HELLO with CLIENT TRACKINGINFO. */
  const costOf = (commands: readonly (readonly string[])[]) =>
    commands
      .filter(
        ([name], index) =>
          name !== 'ping' && ![index, index + 1].some((at) => commands[at]?.[1] === 'trackinginfo'),
      )
      .map(([name]) => name);

  test('two commands a change at most, whatever the change, and four an expiry', async () => {
    await using proxy = await startTcpProxy(server);
    const provider = openProvider(server.url);
    const view = await watchLive(proxy.url);
    proxy.clear();
    const seen = async (change: Promise<unknown>, what: string) => {
      proxy.clear();
      await change;
      await view.until(() => view.held.join() === what);
      return costOf(proxy.commands);
    };
    expect(await seen(provider.acquireLease('k', 'o', 60_000), 'k=o')).toEqual(['get', 'pttl']);
    expect(await seen(provider.transferLease('k', 'o', 'p', 60_000), 'k=p')).toEqual(['get', 'pttl']);
    expect(await seen(provider.releaseLease('k', 'p'), '')).toEqual(['get', 'hello']);
    await seen(provider.acquireLease('short', 'o', 200), 'short=o');
    proxy.clear();
    await view.until(() => view.held.length === 0);
    // The server tells of the key that the reading had it remove.
    await waitFor(() => costOf(proxy.commands).length === 3);
    expect(costOf(proxy.commands)).toEqual(['get', 'hello', 'get']);
  });

  test('keys that change within a frame are read together, one that changes often less often', async () => {
    await using proxy = await startTcpProxy(server);
    const view = await watchLive(proxy.url);
    proxy.clear();
    for (let round = 0; round < 20; round += 1) {
      const pipeline = direct.pipeline();
      for (let index = 0; index < 50; index += 1)
        pipeline.set(recordOf(`k${index}`), `o${round}`, 'PX', 60_000);
      await pipeline.exec();
    }
    await view.until(() => view.held.length === 50 && view.held.every((line) => line.endsWith('=o19')));
    expect(costOf(proxy.commands).length).toBeLessThanOrEqual(2 * 20 * 50);
    expect(proxy.writes.length).toBeLessThanOrEqual(2 * 20 + 2);
  });

  test('2,000 changes a second for some seconds leave exactly what a fresh listing sees', async () => {
    const provider = openProvider(server.url);
    await using proxy = await startTcpProxy(server);
    const view = await watchLive(proxy.url);
    proxy.clear();
    let changes = 0;
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < 3_000) {
      const pipeline = direct.pipeline();
      for (let index = 0; index < 40; index += 1, changes += 1) {
        const record = recordOf(`k${(changes * 7) % 1_000}`);
        if (changes % 5 === 0) pipeline.del(record);
        else pipeline.set(record, `o${changes}`, 'PX', changes % 11 === 0 ? 300 : 60_000);
      }
      await pipeline.exec();
      const behindMs = startedAtMs + changes / 2 - performance.now();
      if (behindMs > 0) await new Promise((resolve) => setTimeout(resolve, behindMs));
    }
    const sent = costOf(proxy.commands).length;
    await waitFor(async () => {
      const { leases } = await readAll(provider);
      expect(view.held).toEqual(leases.map(({ key, owner }) => `${key}=${owner}`).sort());
      return leases.length > 0 && leases.every(({ remainingMs }) => Number(remainingMs) > 1_000);
    });
    expect(view.snapshots).toBe(1);
    expect(sent).toBeLessThanOrEqual(2 * changes);
    for (const { key, remainingMs } of (await readAll(provider)).leases) {
      expect(Math.abs(Number(view.leases.get(key)?.remainingMs) - Number(remainingMs))).toBeLessThan(10_000);
    }
  });
});

describe('the end of a lease', () => {
  test('is told at once, though the server has 300,000 other keys to expire', async () => {
    await direct.eval(`for i = 1, 300000 do redis.call('SET', 'other:' .. i, 'x', 'PX', 600000 + i) end`, 0);
    const provider = openProvider(server.url);
    const view = await watchLive(server.url);
    const lateMs: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      const key = `ends ${index}`;
      await provider.acquireLease(key, 'o', 150 + index);
      const dueAtMs = performance.now() + 150 + index;
      await view.until(() => view.freedAtMs.has(key));
      lateMs.push((view.freedAtMs.get(key) ?? Number.NaN) - dueAtMs);
    }
    // The promise is 200 ms; machines that run tests are slower.
    expect(Math.max(...lateMs)).toBeLessThan(1_000);
    expect(Math.min(...lateMs)).toBeGreaterThan(-50);
  });

  test('is told of many at a time, and of a lease that is renewed it is not', async () => {
    const provider = openProvider(server.url);
    const view = await watchLive(server.url);
    const pipeline = direct.pipeline();
    for (let index = 0; index < 3_000; index += 1) pipeline.set(recordOf(`k${index}`), 'o', 'PX', 1_500);
    await pipeline.exec();
    await provider.acquireLease('renewed', 'o', 800);
    await provider.renewLease('renewed', 'o', 60_000);
    await view.until(() => view.held.length === 3_001);
    await view.until(() => view.held.join() === 'renewed=o');
    expect(view.freedAtMs.has('renewed')).toBe(false);
  });

  test('is told of a lease that was there before the watch began', async () => {
    await openProvider(server.url).acquireLease('k', 'o', 400);
    const view = await watchLive(server.url);
    expect(view.held).toEqual(['k=o']);
    await view.until(() => view.freedAtMs.has('k'));
  });
});

describe('the end of a watch', () => {
  test('by its signal leaves no connection, no listener and no timer behind', async () => {
    await using proxy = await startTcpProxy(server);
    const provider = openProvider(proxy.url);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await provider.acquireLease('k', 'o', 60_000);
    await provider.close();
    await waitFor(() => proxy.openConnections === 0);
    const before = timers();
    const view = await watchLive(proxy.url);
    await waitFor(() => proxy.openConnections === 2);
    expect(view.held).toEqual(['k=o']);
    await view.stop();
    expect(view.end).toBe('returned');
    expect(getEventListeners(view.signal, 'abort')).toEqual([]);
    await waitFor(() => proxy.openConnections === 0 && timers() <= before);
  });

  test('by its signal comes at once, whatever it waits for', async () => {
    await using proxy = await startTcpProxy(server);
    proxy.pause();
    const views = [
      watch(openProvider(proxy.url)),
      watch(openProvider(`redis://127.0.0.1:${await findFreePort()}`)),
      watch(openProvider(server.url)),
    ];
    await waitFor(() => proxy.writes.length > 0);
    const startedAtMs = performance.now();
    await Promise.all(views.map((view) => view.stop()));
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    for (const { end } of views) expect(end).toBe('returned');
    const controller = new AbortController();
    controller.abort();
    const never = openProvider(server.url).watchLeases({ signal: controller.signal });
    expect(await never.next()).toEqual({ done: true, value: undefined });
  });

  test('by a reader that leaves closes its connections', async () => {
    await using proxy = await startTcpProxy(server);
    const { signal } = new AbortController();
    for await (const { kind } of openProvider(proxy.url).watchLeases({ signal })) if (kind === 'live') break;
    await waitFor(() => proxy.openConnections === 0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('by the provider that is closed is told as such, before the watch or during it', async () => {
    const provider = openProvider(server.url);
    const view = watch(provider);
    await view.untilLive();
    await provider.close();
    await waitFor(() => view.end);
    expect(view.end).toMatchObject({ code: 'ERR_LEASE_CLOSED' });
    const late = watch(provider);
    await waitFor(() => late.end);
    expect(late.end).toMatchObject({ code: 'ERR_LEASE_CLOSED' });
  });
});
