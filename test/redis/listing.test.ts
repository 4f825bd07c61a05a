import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { listKeys, openProvider, readAll, recordOf } from './open-provider.js';

let server: RedisServer;
let direct: Redis;

beforeAll(async () => {
  server = await startRedis({ aclUsers: { plain: 'on >p ~* +get +pttl +scan +ping' } });
  direct = await server.client();
});

afterAll(() => server.stop());

beforeEach(() => direct.flushall());

/** How a listing is made: by scripts, or by plain commands where they are refused. */
const WAYS = ['script', 'plain'] as const;

function urlFor(way: (typeof WAYS)[number], port = server.port): string {
  return `redis://${way === 'plain' ? 'plain:p@' : ''}127.0.0.1:${port}`;
}

/** Writes `count` strings named by `name`. */
async function fill(count: number, name: (index: number) => string): Promise<void> {
  const pairs = Array.from({ length: count }, (_, index) => [name(index), `owner-${index}`]);
  for (let from = 0; from < count; from += 5_000) await direct.mset(pairs.slice(from, from + 5_000).flat());
}

async function drop(count: number, name: (index: number) => string): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => name(index));
  for (let from = 0; from < count; from += 5_000) await direct.del(names.slice(from, from + 5_000));
}

/** Kills the connections that list, and no other. */
async function killListing(): Promise<number> {
  const clients = String(await direct.client('LIST')).split('\n');
  const ids = clients
    .filter((line) => /cmd=(evalsha|eval|pttl|scan)\b/.test(line))
    .map((line) => /^id=(\d+)/.exec(line)?.[1]);
  for (const id of ids) await direct.call('CLIENT', 'KILL', 'ID', id ?? '');
  return ids.length;
}

const lease = (index: number) => recordOf(`user-${index}\0thread-${index}`);
const other = (index: number) => `mastra:topic:agent.thread-stream.${index}`;

describe.each(WAYS)('by %s', (way) => {
  test('2,000 leases among 20,000 other keys are each listed once, with owner and time left', async () => {
    await fill(20_000, other);
    await fill(2_000, lease);
    await direct.pexpire(lease(7), 60_000);
    const { leases, error } = await readAll(openProvider(urlFor(way)));
    expect(error).toBeUndefined();
    expect(leases).toHaveLength(2_000);
    expect(new Set(leases.map(({ key }) => key)).size).toBe(2_000);
    const byKey = new Map(leases.map((each) => [each.key, each]));
    expect(byKey.get('user-3\0thread-3')).toEqual({
      key: 'user-3\0thread-3',
      owner: 'owner-3',
      remainingMs: null,
    });
    const { remainingMs } = byKey.get('user-7\0thread-7') ?? {};
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(60_000);
  });

  test('an empty database is an empty, complete listing', async () => {
    expect(await listKeys(openProvider(urlFor(way)))).toEqual([]);
  });

  test.each(['app[prod]*?', 'a\\b', '[^x]', '*', '?', 'a[b-c]', '{tag}', ''])(
    'the prefix %j lists its own leases and no others',
    async (keyPrefix) => {
      const provider = openProvider(urlFor(way), { keyPrefix });
      await openProvider(server.url, { keyPrefix }).acquireLease('mine', 'o', 60_000);
      for (const like of [
        'appp',
        'appr!x',
        'a',
        'ab',
        'a\\\\b',
        'x',
        'xy',
        'ac',
        'tag',
        'other',
        `${keyPrefix}x`,
        `x${keyPrefix}`,
      ]) {
        if (like !== keyPrefix) await direct.set(`${like}:lease:not mine`, 'o');
      }
      await direct.set(`${keyPrefix}:leases:x`, 'no lease');
      expect(await listKeys(provider)).toEqual(['mine']);
    },
  );

  test('only strings are leases: topics and other types at lease keys are passed over', async () => {
    await direct.xadd(recordOf('x'), '*', 'event', '{}');
    await direct.hset(recordOf('h'), 'a', 'b');
    await direct.sadd(recordOf('s'), 'a');
    await direct.set(recordOf('y'), 'o');
    expect(await listKeys(openProvider(urlFor(way)))).toEqual(['y']);
  });

  test('keys and owners come back exactly; what is not UTF-8 comes in hex too', async () => {
    const keys = [
      'a b',
      'nul\0nul',
      '\ufeffbom',
      '\ufffd',
      '🔒',
      '\r\n',
      '{a}[b]*?\\',
      'x'.repeat(4_096),
      '"quoted"',
    ];
    for (const key of keys) await direct.set(recordOf(key), key);
    const latin1 = Buffer.from('caf\u00e9', 'latin1');
    await direct.set(Buffer.concat([Buffer.from(recordOf('')), latin1]), Buffer.from([0xff, 0x00]));
    const { leases, error } = await readAll(openProvider(urlFor(way)));
    expect(error).toBeUndefined();
    const exact = leases.filter(({ keyHex }) => keyHex === undefined);
    expect(exact.map(({ key }) => key).sort()).toEqual([...keys].sort());
    for (const { key, owner, ownerHex } of exact) expect([owner, ownerHex]).toEqual([key, undefined]);
    expect(leases.filter(({ keyHex }) => keyHex !== undefined)).toEqual([
      {
        key: 'caf\ufffd',
        keyHex: latin1.toString('hex'),
        owner: '\ufffd\0',
        ownerHex: 'ff00',
        remainingMs: null,
      },
    ]);
  });

  test('leases held throughout are listed once while the table grows and shrinks under the listing', async () => {
    await fill(3_000, lease);
    const provider = openProvider(urlFor(way));
    const seen: string[] = [];
    for await (const { key } of provider.listLeases()) {
      if (key.startsWith('user-')) seen.push(key);
      if (seen.length === 200) await fill(60_000, other);
      if (seen.length === 1_500) await drop(60_000, other);
    }
    expect(new Set(seen).size).toBe(3_000);
    expect(seen).toHaveLength(3_000);
  });

  test('a lease that ends or is taken while the listing goes on does not disturb it', async () => {
    await fill(2_000, lease);
    let count = 0;
    const seen = new Set<string>();
    for await (const { key } of openProvider(urlFor(way)).listLeases()) {
      seen.add(key);
      count += 1;
      if (count === 10) await drop(1_000, lease);
    }
    expect(seen.size).toBe(count);
    for (let index = 1_000; index < 2_000; index += 1)
      expect(seen).toContain(`user-${index}\0thread-${index}`);
  });

  test('a connection that is replaced under the listing starts the scan again and misses nothing', async () => {
    await fill(10_000, other);
    await fill(5_000, lease);
    const seen: string[] = [];
    let killed = 0;
    for await (const { key } of openProvider(urlFor(way)).listLeases()) {
      seen.push(key);
      if (seen.length === 500 || seen.length === 3_000) killed += await killListing();
    }
    expect(killed).toBe(2);
    expect(new Set(seen).size).toBe(5_000);
    expect(seen).toHaveLength(5_000);
  });

  test('one that is lost again and again gives up, and says how much was seen', async () => {
    await fill(10_000, lease);
    const seen = new Set<string>();
    const listing = (async () => {
      for await (const { key } of openProvider(urlFor(way)).listLeases()) {
        if (seen.size % 100 === 0) await killListing();
        seen.add(key);
      }
    })();
    await expect(listing).rejects.toMatchObject({ code: 'ERR_LEASE_INCOMPLETE' });
    await expect(listing).rejects.toThrow(new RegExp(`${seen.size} leases seen.*again and again`));
  });

  test('a server that dies under the listing leaves it incomplete, after what was seen', async () => {
    await using mortal = await startRedis({ aclUsers: { plain: 'on >p ~* +get +pttl +scan' } });
    const admin = await mortal.client();
    await admin.mset(Array.from({ length: 5_000 }, (_, index) => [lease(index), 'o']).flat());
    const seen: string[] = [];
    const listing = (async () => {
      for await (const { key } of openProvider(urlFor(way, mortal.port)).listLeases()) {
        seen.push(key);
        if (seen.length === 100) await mortal.kill();
      }
    })();
    await expect(listing).rejects.toMatchObject({ code: 'ERR_LEASE_INCOMPLETE', remedy: 'try again' });
    expect(seen.length).toBeGreaterThanOrEqual(100);
  });

  test('a server that is restarted under the listing is listed anew', async () => {
    await using mortal = await startRedis({ aclUsers: { plain: 'on >p ~* +get +pttl +scan' } });
    const seeds = Array.from({ length: 5_000 }, (_, index) => [lease(index), 'o']).flat();
    await (await mortal.client()).mset(seeds);
    const seen: string[] = [];
    for await (const { key } of openProvider(urlFor(way, mortal.port)).listLeases()) {
      seen.push(key);
      if (seen.length !== 100) continue;
      await mortal.restart();
      await (await mortal.client()).mset(seeds);
    }
    expect(new Set(seen).size).toBe(5_000);
    expect(seen).toHaveLength(5_000);
  });

  test('the signal stops it between leases, between steps and while the server is silent, with its reason', async () => {
    await fill(5_000, lease);
    await using proxy = await startTcpProxy(server);
    const provider = openProvider(urlFor(way, proxy.port), { timeoutMs: 60_000 });
    const reason = new Error('enough');
    expect(await readAll(provider, { signal: AbortSignal.abort(reason) })).toEqual({
      leases: [],
      error: reason,
    });
    for (const isSilent of [false, true]) {
      const controller = new AbortController();
      const seen: string[] = [];
      const listing = (async () => {
        for await (const { key } of provider.listLeases({ signal: controller.signal })) {
          seen.push(key);
          if (seen.length !== 50) continue;
          if (isSilent) {
            proxy.pause();
            setTimeout(() => controller.abort(reason), 100);
          } else {
            controller.abort(reason);
          }
        }
      })();
      await expect(listing).rejects.toBe(reason);
      expect(seen.length).toBeLessThan(2_500);
      proxy.resume();
    }
    expect((await readAll(provider)).leases).toHaveLength(5_000);
  });

  test('progress goes up to about the number of keys', async () => {
    await fill(20_000, other);
    const steps: number[] = [];
    await readAll(openProvider(urlFor(way)), { onProgress: ({ scannedKeys }) => steps.push(scannedKeys) });
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(steps.length).toBeGreaterThan(2);
    expect(steps.at(-1)).toBeGreaterThanOrEqual(20_000);
    expect(steps.at(-1)).toBeLessThan(25_000);
  });
});

test('a reader that stops early leaves the provider usable', async () => {
  await fill(2_000, lease);
  const provider = openProvider(server.url);
  for await (const _lease of provider.listLeases()) break;
  expect(await provider.getLeaseOwner('user-1\0thread-1')).toBe('owner-1');
});

test.each([
  ['every key is a lease', 1],
  ['a tenth of the keys are leases', 10],
  ['one key in a thousand is a lease', 1_000],
])('a step stays short for the server where %s of 50,000', async (_what, every) => {
  await fill(50_000, (index) => (index % every === 0 ? lease(index) : other(index)));
  await direct.config('RESETSTAT');
  const { leases } = await readAll(openProvider(server.url));
  expect(leases).toHaveLength(50_000 / every);
  const stats = await direct.info('latencystats');
  const medianUs = Number(/usec_evalsha:p50=([\d.]+)/.exec(stats)?.[1]);
  // The promise is 5 ms; machines that run tests are slower than servers.
  expect(medianUs).toBeLessThan(10_000);
});
