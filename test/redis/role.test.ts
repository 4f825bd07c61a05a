import { describe, expect, onTestFinished, test } from 'vitest';
import type { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { findFreePort } from '../support/free-port.js';
import { startUnsyncedReplica } from '../support/redis-replication.js';
import { type ReplicaPair, startRedis, startReplicaPair } from '../support/redis-server.js';
import { helloReply, resp } from '../support/resp-replies.js';
import { startRespStub } from '../support/resp-stub.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { codeOf, failureOf, openProvider, readAll, recordOf, VERB_NAMES, VERBS } from './open-provider.js';

const MODES = ['one-shot', 'kept'] as const;

/** No verb answers, and no listing ends: nothing that is seen there means "free" or "lost". */
async function expectNoAllClear(provider: RedisLeaseProvider, code: string): Promise<void> {
  for (const verb of VERB_NAMES) {
    expect([verb, await codeOf(VERBS[verb](provider, 'free'))]).toEqual([verb, code]);
  }
  expect((await readAll(provider)).error).toMatchObject({ code });
}

describe.each(MODES)('%s', (connection) => {
  test('a replica that was never synced answers nothing', async () => {
    await using replica = await startUnsyncedReplica(await findFreePort());
    await expectNoAllClear(openProvider(replica.url, { connection }), 'ERR_LEASE_UNREACHABLE');
  });

  test('a replica says who holds a lease, and never that nobody does', async () => {
    await using pair = await startReplicaPair();
    await openProvider(pair.primary.url).acquireLease('held', 'o', 10_000);
    await pair.sync();
    const provider = openProvider(pair.replica.url, { connection });
    expect(await provider.getLeaseOwner('held')).toBe('o');
    expect(await provider.readLease('held')).toMatchObject({ owner: 'o' });
    expect(provider.server?.role).toBe('replica');
    await expectNoAllClear(provider, 'ERR_LEASE_UNREACHABLE');
  });

  test('a primary that is demoted under an open connection answers nothing', async () => {
    await using pair = await startReplicaPair();
    const { primary } = pair;
    const provider = openProvider(primary.url, { connection });
    await provider.acquireLease('warm', 'o', 10_000);
    await pair.swapRoles();
    await expectNoAllClear(provider, 'ERR_LEASE_UNREACHABLE');
  });

  test('behind a name that leads to the new primary, the demoted connection is replaced once', async () => {
    await using pair = await startReplicaPair();
    for (const verb of VERB_NAMES) {
      const { proxy, moveTo } = await startFloatingAddress(pair);
      const provider = openProvider(proxy.url, { connection });
      await provider.acquireLease('held', 'o', 10_000);
      await pair.swapRoles();
      await moveTo(pair);
      await VERBS[verb](provider, 'held');
      expect(provider.server?.role).toBe('primary');
      expect(proxy.opened()).toBe(2);
    }
  });

  test('a write that a writable replica took is unknown: its primary has never heard of it', async () => {
    await using pair = await startReplicaPair();
    const direct = await pair.replica.client();
    await direct.config('SET', 'replica-read-only', 'no');
    const provider = openProvider(pair.replica.url, { connection });
    const error = await failureOf(provider.acquireLease('k', 'o', 10_000));
    expect([error.code, error.message]).toEqual([
      'ERR_LEASE_OUTCOME_UNKNOWN',
      expect.stringContaining('writable replica'),
    ]);
    expect(await (await pair.primary.client()).exists(recordOf('k'))).toBe(0);
    expect(await codeOf(provider.renewLease('free', 'o', 10_000))).toBe('ERR_LEASE_UNREACHABLE');
  });

  test('without HELLO a held lease is an answer, a write that succeeds is one, and "free" is unverified', async () => {
    await using server = await startRedis({ args: ['--rename-command', 'HELLO', ''] });
    const provider = openProvider(server.url, { connection });
    expect(await provider.acquireLease('held', 'o', 10_000)).toEqual({ acquired: true, owner: 'o' });
    expect(await provider.acquireLease('held', 'p', 10_000)).toEqual({ acquired: false, owner: 'o' });
    expect(await provider.getLeaseOwner('held')).toBe('o');
    expect(await provider.readLease('held')).toMatchObject({ owner: 'o' });
    expect(await provider.renewLease('held', 'o', 10_000)).toBe(true);
    expect(await provider.renewLease('held', 'p', 10_000)).toBe(false);
    expect(await provider.transferLease('held', 'o', 'p', 10_000)).toBe(true);
    const { leases, error } = await readAll(provider);
    expect(leases).toMatchObject([{ key: 'held', owner: 'p' }]);
    expect(error).toMatchObject({ code: 'ERR_LEASE_UNVERIFIED' });
    await provider.releaseLease('held', 'p');
    expect(provider.server?.role).toBe('unverified');
    for (const verb of ['renew', 'transfer', 'release', 'getLeaseOwner', 'readLease'] as const) {
      expect([verb, await codeOf(VERBS[verb](provider, 'free'))]).toEqual([verb, 'ERR_LEASE_UNVERIFIED']);
    }
  });

  test('without EVAL reads go by GET and PTTL, and writes say what is missing', async () => {
    await using server = await startRedis({
      args: ['--rename-command', 'EVAL', '', '--rename-command', 'EVALSHA', ''],
    });
    await (await server.client()).set(recordOf('held'), 'o', 'PX', 10_000);
    const provider = openProvider(server.url, { connection });
    expect(await provider.readLease('held')).toEqual({
      key: 'held',
      owner: 'o',
      remainingMs: expect.any(Number),
    });
    expect(await provider.readLease('free')).toBeUndefined();
    expect(await provider.getLeaseOwner('held')).toBe('o');
    expect((await readAll(provider)).leases).toMatchObject([{ key: 'held', owner: 'o' }]);
    for (const verb of ['acquire', 'renew', 'transfer', 'release'] as const) {
      const error = await failureOf(VERBS[verb](provider, 'held'));
      expect([verb, error.code, error.message]).toEqual([
        verb,
        'ERR_LEASE_UNSUPPORTED',
        expect.stringContaining('unknown command'),
      ]);
    }
  });
});

test.each([
  [
    'an older name of the role',
    helloReply('replica').replace('$7\r\nreplica', '$5\r\nslave'),
    'ERR_LEASE_UNREACHABLE',
  ],
  ['no role at all', helloReply('master').replace('$4\r\nrole', '$4\r\nrule'), 'ERR_LEASE_UNVERIFIED'],
  ['a role of its own', helloReply('master').replace('$6\r\nmaster', '$5\r\nproxy'), 'ERR_LEASE_UNVERIFIED'],
  ['no array', resp.simple('OK'), 'ERR_LEASE_UNVERIFIED'],
  ['an error', resp.error('ERR this proxy does not do that'), 'ERR_LEASE_UNVERIFIED'],
])('HELLO answered with %s never makes "free" of nil', async (_what, hello, code) => {
  await using stub = await startRespStub(([name]) => {
    if (name === 'hello') return hello;
    return name === 'get' ? resp.nil : resp.array();
  });
  const provider = openProvider(stub.url, { connection: 'one-shot' });
  expect(await codeOf(provider.getLeaseOwner('free'))).toBe(code);
  expect(await codeOf(provider.readLease('free'))).toBe(code);
});

test('Redis 6.0, which knows HELLO only with a version of the protocol, tells its role', async () => {
  await using stub = await startRespStub(([name, version]) => {
    if (name !== 'hello') return resp.nil;
    return version === '2'
      ? helloReply('master', '6.0.16')
      : resp.error("ERR wrong number of arguments for 'hello' command");
  });
  const provider = openProvider(stub.url);
  expect(await provider.getLeaseOwner('free')).toBeUndefined();
  expect(provider.server).toEqual({ role: 'primary', mode: 'standalone', version: '6.0.16' });
});

test('a lease in its last, begun millisecond has 1 left, and one without expiry has null', async () => {
  for (const [pttl, remainingMs] of [
    [0, 1],
    [1, 1],
    [-1, null],
  ] as const) {
    await using stub = await startRespStub(([name]) =>
      name === 'hello' ? helloReply('master') : resp.array(resp.bulk('o'), resp.integer(pttl)),
    );
    const provider = openProvider(stub.url, { connection: 'one-shot' });
    expect(await provider.readLease('k')).toEqual({ key: 'k', owner: 'o', remainingMs });
  }
});

/** An address that leads to a pair's primary, and keeps its open connections where they are when it moves. */
async function startFloatingAddress(pair: ReplicaPair) {
  const target = { host: pair.primary.host, port: pair.primary.port };
  const proxy: TcpProxy = await startTcpProxy(target);
  onTestFinished(() => proxy.stop());
  const before = proxy.connectionCount;
  return {
    proxy: { url: proxy.url, opened: () => proxy.connectionCount - before },
    moveTo: async ({ primary }: ReplicaPair) => {
      target.port = primary.port;
    },
  };
}
