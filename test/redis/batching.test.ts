import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { helloReply, resp } from '../support/resp-replies.js';
import { startRespStub } from '../support/resp-stub.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { codeOf, openProvider, recordOf } from './open-provider.js';

let server: RedisServer;
let direct: Redis;

beforeAll(async () => {
  server = await startRedis();
  direct = await server.client();
});

afterAll(() => server.stop());

async function startProxy(): Promise<TcpProxy> {
  const proxy = await startTcpProxy(server);
  onTestFinished(() => proxy.stop());
  return proxy;
}

test('256 callers at once, each with its own key, get each their own answer', async () => {
  const proxy = await startProxy();
  const provider = openProvider(proxy.url);
  const callers = Array.from({ length: 256 }, (_, index) => `caller-${index}`);
  for (let round = 0; round < 3; round += 1) {
    const results = await Promise.all(
      callers.map((caller) => provider.acquireLease(`key of ${caller}`, caller, 10_000)),
    );
    expect(results.map(({ owner }) => owner)).toEqual(callers);
    const owners = await Promise.all(callers.map((caller) => provider.getLeaseOwner(`key of ${caller}`)));
    expect(owners).toEqual(callers);
    const leases = await Promise.all(callers.map((caller) => provider.readLease(`key of ${caller}`)));
    expect(leases.map((lease) => lease?.owner)).toEqual(callers);
  }
  expect(proxy.connectionCount).toBe(1);
});

test('256 callers for one key have one winner, and the others are told who', async () => {
  const provider = openProvider(server.url);
  const results = await Promise.all(
    Array.from({ length: 256 }, (_, index) => provider.acquireLease('contended', `c${index}`, 10_000)),
  );
  expect(results.filter(({ acquired }) => acquired)).toHaveLength(1);
  expect(new Set(results.map(({ owner }) => owner))).toEqual(new Set(['c0']));
});

test('an owner of 1 MB and one of a few bytes in one batch come back exactly, in pieces too', async () => {
  const proxy = await startProxy();
  const provider = openProvider(proxy.url, { timeoutMs: 20_000 });
  const big = '🔒\0'.repeat(200_000);
  expect(Buffer.byteLength(big)).toBe(1_000_000);
  const [first, second] = await Promise.all([
    provider.acquireLease('big', big, 60_000),
    provider.acquireLease('small', 's', 60_000),
  ]);
  expect([first.owner === big, second.owner]).toEqual([true, 's']);
  const [owner, lease, small] = await Promise.all([
    provider.getLeaseOwner('big'),
    provider.readLease('big'),
    provider.getLeaseOwner('small'),
  ]);
  expect([owner === big, lease?.owner === big, small]).toEqual([true, true, 's']);
  proxy.splitFrames();
  expect(
    await Promise.all([provider.getLeaseOwner('small'), provider.renewLease('small', 's', 60_000)]),
  ).toEqual(['s', true]);
  proxy.splitFrames(false);
  expect(await provider.transferLease('big', big, 't', 60_000)).toBe(true);
});

test('a caller that times out leaves the others of its write to their own deadlines and their own answers', async () => {
  const proxy = await startProxy();
  await direct.set(recordOf('k'), 'o', 'PX', 60_000);
  let budgetMs = 60_000;
  const provider = openProvider(proxy.url, { timeoutMs: () => budgetMs, connection: 'one-shot' });
  await provider.getLeaseOwner('warm up');
  proxy.pause('down');
  const patientRead = provider.getLeaseOwner('k');
  const patientWrite = provider.renewLease('k', 'o', 60_000);
  budgetMs = 100;
  const hastyRead = codeOf(provider.readLease('k'));
  const hastyWrite = codeOf(provider.acquireLease('other', 'p', 60_000));
  expect(await Promise.all([hastyRead, hastyWrite])).toEqual([
    'ERR_LEASE_UNREACHABLE',
    'ERR_LEASE_OUTCOME_UNKNOWN',
  ]);
  proxy.resume();
  expect(await Promise.all([patientRead, patientWrite])).toEqual(['o', true]);
  budgetMs = 60_000;
  expect(await provider.getLeaseOwner('k')).toBe('o');
  expect(proxy.connectionCount).toBe(2);
  await waitFor(() => proxy.openConnections === 1);
});

test('an answer that comes late reaches nobody', async () => {
  const proxy = await startProxy();
  await direct.set(recordOf('slow'), 'owner of slow', 'PX', 60_000);
  await direct.set(recordOf('next'), 'owner of next', 'PX', 60_000);
  let budgetMs = 60_000;
  const provider = openProvider(proxy.url, { timeoutMs: () => budgetMs });
  await provider.getLeaseOwner('warm up');
  for (let round = 0; round < 5; round += 1) {
    proxy.pause('down');
    budgetMs = 20;
    expect(await codeOf(provider.getLeaseOwner('slow'))).toBe('ERR_LEASE_UNREACHABLE');
    budgetMs = 60_000;
    const next = provider.getLeaseOwner('next');
    proxy.resume('down');
    expect(await next).toBe('owner of next');
  }
});

test('when the connection dies, everyone who waits on it hears so', async () => {
  const proxy = await startProxy();
  const provider = openProvider(proxy.url, { connection: 'one-shot', timeoutMs: 60_000 });
  await provider.getLeaseOwner('warm up');
  proxy.pause('down');
  const writes = Array.from({ length: 20 }, (_, index) =>
    codeOf(provider.acquireLease(`w${index}`, 'o', 60_000)),
  );
  await waitFor(() => proxy.commands.some(([name]) => name === 'eval'));
  proxy.cut();
  expect(new Set(await Promise.all(writes))).toEqual(new Set(['ERR_LEASE_OUTCOME_UNKNOWN']));
});

test('an error reply to one of a write is no matter of the others', async () => {
  await direct.xadd(recordOf('topic'), '*', 'a', 'b');
  const provider = openProvider(server.url);
  await provider.getLeaseOwner('warm up');
  const [topic, other, acquired] = await Promise.all([
    codeOf(provider.getLeaseOwner('topic')),
    provider.getLeaseOwner('free'),
    provider.acquireLease('mine', 'o', 10_000),
  ]);
  expect([topic, other, acquired]).toEqual([
    'ERR_LEASE_WRONG_TYPE',
    undefined,
    { acquired: true, owner: 'o' },
  ]);
});

test('when the connection dies in the middle of the answers, those that came stand', async () => {
  await using stub = await startRespStub(([name], index) => {
    if (name === 'hello') return helloReply('master');
    return index === 2 ? 'close' : resp.array(resp.integer(1));
  });
  const provider = openProvider(stub.url, { connection: 'one-shot' });
  const [first, second, third] = ['a', 'b', 'c'].map((key) => provider.tryRelease(key, 'o'));
  expect(await first).toEqual({ done: true });
  for (const lost of [second, third])
    await expect(lost).rejects.toMatchObject({ code: 'ERR_LEASE_OUTCOME_UNKNOWN' });
});
