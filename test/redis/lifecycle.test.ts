import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { type RedisServer, startRedis, startSentinel } from '../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { codeOf, failureOf, openProvider, readAll, VERB_NAMES, VERBS } from './open-provider.js';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(() => server.stop());

async function startProxy(): Promise<TcpProxy> {
  const proxy = await startTcpProxy(server);
  onTestFinished(() => proxy.stop());
  return proxy;
}

test('nothing is connected before the first call', async () => {
  const proxy = await startProxy();
  const provider = openProvider(proxy.url);
  expect(provider.server).toBeUndefined();
  expect(proxy.connectionCount).toBe(0);
  await provider.readLease('k');
  expect(proxy.connectionCount).toBe(1);
  expect(provider.server).toMatchObject({ role: 'primary', mode: 'standalone' });
});

test('after close every call says so, and nothing is sent', async () => {
  const proxy = await startProxy();
  const provider = openProvider(proxy.url);
  await provider.acquireLease('k', 'o', 10_000);
  await provider.close();
  await provider.close();
  await waitFor(() => proxy.openConnections === 0);
  for (const verb of VERB_NAMES) {
    expect([verb, await codeOf(VERBS[verb](provider, 'k'))]).toEqual([verb, 'ERR_LEASE_CLOSED']);
  }
  expect((await readAll(provider)).error).toMatchObject({ code: 'ERR_LEASE_CLOSED' });
  expect(proxy.connectionCount).toBe(1);
});

test('close ends calls that wait: a write that was sent is unknown, a read is closed', async () => {
  const proxy = await startProxy();
  const provider = openProvider(proxy.url, { timeoutMs: 60_000 });
  await provider.readLease('k');
  proxy.pause('down');
  const calls = VERB_NAMES.map((verb) => codeOf(VERBS[verb](provider, 'k')));
  await waitFor(() => proxy.commands.length > VERB_NAMES.length);
  await provider.close();
  expect(await Promise.all(calls)).toEqual([
    ...Array.from({ length: 4 }, () => 'ERR_LEASE_OUTCOME_UNKNOWN'),
    ...Array.from({ length: 2 }, () => 'ERR_LEASE_CLOSED'),
  ]);
});

test('close ends calls that are still connecting, whatever they wait for', async () => {
  const proxy = await startProxy();
  proxy.pause();
  await using rig = await startSentinel();
  const [sentinel] = rig.sentinels;
  if (!sentinel) throw new Error('no sentinel');
  await using silent = await startTcpProxy(sentinel);
  silent.pause();
  const waiting = [
    openProvider(proxy.url.replace('redis:', 'rediss:'), { timeoutMs: 60_000 }),
    openProvider(proxy.url.replace('//', '//:p@'), { timeoutMs: 60_000 }),
    openProvider(proxy.url, { timeoutMs: 60_000, password: () => new Promise(() => {}) }),
    openProvider(`redis+cluster://127.0.0.1:${proxy.port},127.0.0.1:${proxy.port}/`.replace('//', '//:p@'), {
      timeoutMs: 60_000,
    }),
    openProvider(`redis+sentinel://127.0.0.1:${silent.port}/mymaster`, { timeoutMs: 60_000 }),
  ];
  for (const provider of waiting) {
    const connections = () => proxy.connectionCount + silent.connectionCount;
    const before = connections();
    const calls = VERB_NAMES.map((verb) => codeOf(VERBS[verb](provider, 'k')));
    await waitFor(() => connections() > before);
    await provider.close();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['ERR_LEASE_CLOSED']));
  }
});

test('of two callers that share a connect each keeps its own deadline', async () => {
  const proxy = await startProxy();
  proxy.pause();
  let budgetMs = 150;
  const provider = openProvider(proxy.url.replace('//', '//:p@'), { timeoutMs: () => budgetMs });
  const impatient = failureOf(provider.readLease('k'));
  budgetMs = 60_000;
  const patient = failureOf(provider.readLease('k'));
  budgetMs = 100;
  const late = failureOf(provider.readLease('k'));
  expect(await Promise.all([impatient, late])).toMatchObject([
    { code: 'ERR_LEASE_UNREACHABLE' },
    { code: 'ERR_LEASE_UNREACHABLE' },
  ]);
  // The attempt ended with the caller that began it; the patient one begins another, and hears what the server says.
  await waitFor(() => proxy.connectionCount === 2);
  proxy.resume();
  expect((await patient).code).toBe('ERR_LEASE_NOT_PERMITTED');
});

test('a key prefix that UTF-8 would merge with others is refused', () => {
  expect(() => openProvider(server.url, { keyPrefix: 'half \ud83d' })).toThrow(/surrogate pair/);
});

test('a failed connect is tried afresh by the next call', async () => {
  const port = await findFreePort();
  const provider = openProvider(`redis://127.0.0.1:${port}`);
  expect(await codeOf(provider.readLease('k'))).toBe('ERR_LEASE_UNREACHABLE');
  await using late = await startTcpProxy({ host: server.host, port: server.port });
  const moved = openProvider(late.url);
  late.refuseNew();
  expect(await codeOf(moved.readLease('k'))).toBe('ERR_LEASE_UNREACHABLE');
  await late.acceptNew();
  expect(await moved.readLease('free')).toBeUndefined();
});

/** A program that uses a provider and closes it; that it ends is up to what is left open. */
const PROGRAM = `
  const { RedisLeaseProvider } = await import(${JSON.stringify(new URL('../../dist/providers/redis/index.js', import.meta.url).href)});
  for (const connection of ['kept', 'one-shot']) {
    const provider = new RedisLeaseProvider({ url: process.argv[2], connection, timeoutMs: Number(process.argv[3]) });
    const code = (error) => error.code;
    const acquired = provider.acquireLease('child', 'o', 1000).then(() => 'done', code);
    const first = provider.listLeases()[Symbol.asyncIterator]().next().then(() => 'done', code);
    console.log(await acquired, await first);
    await provider.close();
  }
`;

/** Runs the program to its own end; it is killed, and the test fails, when that does not come. */
async function runProgram(url: string, timeoutMs: number): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-', url, String(timeoutMs)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  child.stdin.end(PROGRAM);
  const [exitCode, signal] = await once(child, 'close');
  clearTimeout(timer);
  expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null });
  return output.trim();
}

test('a process that has closed its provider ends by itself, and prints nothing of ours', async () => {
  const proxy = await startProxy();
  const silent = await startProxy();
  silent.pause();
  await using rig = await startSentinel();
  const sentinel = rig.sentinels[0] ?? server;
  await using silentSentinel = await startTcpProxy(sentinel);
  silentSentinel.pause();
  const twice = (line: string) => `${line}\n${line}`;
  const runs: readonly (readonly [string, string])[] = [
    [proxy.url, twice('done done')],
    [`redis://127.0.0.1:${await findFreePort()}`, twice('ERR_LEASE_UNREACHABLE ERR_LEASE_UNREACHABLE')],
    [silent.url, twice('ERR_LEASE_OUTCOME_UNKNOWN ERR_LEASE_UNREACHABLE')],
    [silent.url.replace('redis:', 'rediss:'), twice('ERR_LEASE_UNREACHABLE ERR_LEASE_UNREACHABLE')],
    [rig.url, twice('done done')],
    [
      `redis+sentinel://127.0.0.1:${silentSentinel.port}/mymaster`,
      twice('ERR_LEASE_UNREACHABLE ERR_LEASE_UNREACHABLE'),
    ],
    [
      `redis+sentinel://127.0.0.1:${sentinel.port},127.0.0.1:${await findFreePort()}/mymaster`,
      twice('done done'),
    ],
  ];
  expect(
    await Promise.all(runs.map(([url, output]) => runProgram(url, output.includes('done') ? 5_000 : 200))),
  ).toEqual(runs.map(([, output]) => output));
});
