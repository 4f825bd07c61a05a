import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import {
  codeOf,
  failureOf,
  openProvider,
  readAll,
  recordOf,
  VERB_NAMES,
  VERBS,
  WRITES,
} from './open-provider.js';

const KEYS = '~mastra:topic:lease:*';
const PASSWORD = 'p';

/** What each kind of user needs, and no more: each is refused with any one of these left out. */
const LEAST = {
  read: ['+get', '+pttl'],
  readOwner: ['+get'],
  list: ['+get', '+pttl', '+scan'],
  write: ['+eval', '+get', '+set', '+del', '+pexpire', '+pttl'],
} as const;

let server: RedisServer;
let proxy: TcpProxy;
let users = 0;

beforeAll(async () => {
  server = await startRedis();
  proxy = await startTcpProxy(server);
  const direct = await server.client();
  await direct.set(recordOf('held'), 'o', 'PX', 60_000);
  for (let i = 0; i < 50; i += 1) await direct.set(`other:${i}`, 'x');
});

afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

/** The URL of a new user with these permissions, by a proxy that sees what it sends. */
async function urlFor(permissions: readonly string[]): Promise<string> {
  const name = `user${users++}`;
  await (await server.client()).call(
    'ACL',
    'SETUSER',
    name,
    'on',
    `>${PASSWORD}`,
    KEYS,
    '-@all',
    ...permissions,
  );
  return `redis://${name}:${PASSWORD}@127.0.0.1:${proxy.port}`;
}

/** Every list that lacks one permission, with the one it lacks. */
function oneLess(permissions: readonly string[]): (readonly [string, readonly string[]])[] {
  return permissions.map((left) => [left, permissions.filter((permission) => permission !== left)]);
}

const MODES = ['one-shot', 'kept'] as const;

describe.each(MODES)('%s', (connection) => {
  test('GET and PTTL are enough to read, in one round trip once scripts were refused', async () => {
    const provider = openProvider(await urlFor(LEAST.read), { connection });
    expect(await provider.readLease('held')).toMatchObject({ owner: 'o' });
    proxy.clear();
    expect(await provider.readLease('held')).toEqual({
      key: 'held',
      owner: 'o',
      remainingMs: expect.any(Number),
    });
    expect(await provider.readLease('free')).toBeUndefined();
    expect(await provider.getLeaseOwner('held')).toBe('o');
    expect(await provider.getLeaseOwner('free')).toBeUndefined();
    expect(provider.server?.role).toBe('primary');
    expect(proxy.writes.map(({ commands }) => commands.map(([name]) => name))).toEqual([
      ['hello', 'get', 'pttl'],
      ['hello', 'get', 'pttl'],
      ['hello', 'get'],
      ['hello', 'get'],
    ]);
  });

  test('who may only read can do nothing else, and is told the command that is missing', async () => {
    const provider = openProvider(await urlFor(LEAST.read), { connection });
    for (const verb of WRITES) {
      const error = await failureOf(VERBS[verb](provider, 'held'));
      expect([verb, error.code, error.message]).toEqual([
        verb,
        'ERR_LEASE_NOT_PERMITTED',
        expect.stringContaining("'eval'"),
      ]);
    }
    const { leases, error } = await readAll(provider);
    expect(leases).toEqual([]);
    expect(error).toMatchObject({
      code: 'ERR_LEASE_NOT_PERMITTED',
      message: expect.stringContaining("'scan'"),
    });
  });

  test('SCAN, GET and PTTL are enough to list, with the same result as by script', async () => {
    const direct = await server.client();
    await direct.xadd(recordOf('a topic'), '*', 'event', '{}');
    await direct.set(recordOf('for ever'), 'p');
    const plain = await readAll(openProvider(await urlFor(LEAST.list), { connection }));
    const scripted = await readAll(openProvider(server.url, { connection }));
    expect(plain.error).toBeUndefined();
    const named = (leases: typeof plain.leases) =>
      leases.map(({ key, owner, remainingMs }) => [key, owner, remainingMs === null]).sort();
    expect(named(plain.leases)).toEqual([
      ['for ever', 'p', true],
      ['held', 'o', false],
    ]);
    expect(named(scripted.leases)).toEqual(named(plain.leases));
    await direct.del(recordOf('a topic'), recordOf('for ever'));
  });

  test('who may run scripts but not SCAN is not shown an empty list', async () => {
    const { leases, error } = await readAll(
      openProvider(await urlFor([...LEAST.write, '+evalsha']), { connection }),
    );
    expect(leases).toEqual([]);
    expect(error).toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
  });
});

test('the least to write: each verb works with it, and something is refused with any one left out', async () => {
  const cycle = async (permissions: readonly string[]) => {
    const provider = openProvider(await urlFor(permissions), { connection: 'one-shot' });
    await provider.acquireLease('cycle', 'o', 10_000);
    await provider.acquireLease('cycle', 'p', 10_000);
    for (const verb of VERB_NAMES) if (verb !== 'release') await VERBS[verb](provider, 'cycle');
    await provider.releaseLease('cycle', 'p');
  };
  await cycle(LEAST.write);
  for (const [left, permissions] of oneLess(LEAST.write)) {
    expect([left, await codeOf(cycle(permissions))]).toEqual([left, 'ERR_LEASE_NOT_PERMITTED']);
    await (await server.client()).del(recordOf('cycle'));
  }
});

test('the least to read and to list: refused with any one left out', async () => {
  for (const [left, permissions] of oneLess(LEAST.read)) {
    const provider = openProvider(await urlFor(permissions));
    expect([left, await codeOf(provider.readLease('held'))]).toEqual([left, 'ERR_LEASE_NOT_PERMITTED']);
  }
  expect(await openProvider(await urlFor(LEAST.readOwner)).getLeaseOwner('held')).toBe('o');
  for (const [left, permissions] of oneLess(LEAST.list)) {
    const { error } = await readAll(openProvider(await urlFor(permissions)));
    expect([left, error]).toEqual([left, expect.objectContaining({ code: 'ERR_LEASE_NOT_PERMITTED' })]);
  }
});

test('kept connections work without EVALSHA, and without EVAL until a script is unknown', async () => {
  const byText = openProvider(await urlFor(LEAST.write));
  expect(await byText.acquireLease('kept', 'o', 10_000)).toEqual({ acquired: true, owner: 'o' });
  const byHash = openProvider(await urlFor(['+evalsha', '+get', '+pexpire']));
  await openProvider(server.url).renewLease('kept', 'o', 10_000);
  expect(await byHash.renewLease('kept', 'o', 10_000)).toBe(true);
  await (await server.client()).script('FLUSH');
  expect(await codeOf(byHash.renewLease('kept', 'o', 10_000))).toBe('ERR_LEASE_NOT_PERMITTED');
});

test('another database needs SELECT too', async () => {
  const url = await urlFor(LEAST.write);
  expect(await codeOf(openProvider(`${url}/1`).acquireLease('k', 'o', 1_000))).toBe(
    'ERR_LEASE_NOT_PERMITTED',
  );
  const selecting = await urlFor([...LEAST.write, '+select']);
  expect(await openProvider(`${selecting}/1`).acquireLease('k', 'o', 1_000)).toEqual({
    acquired: true,
    owner: 'o',
  });
});
