import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MadeEvent, writeHistory } from '../redis/thread-events.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

const NAMED = ['--resource', 'user-42', '--thread', 'abc'];
const registered: MadeEvent = { type: 'run-registered', runId: 'run-1', sourceId: 'p-1' };

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(async () => {
  await site.clear();
  await site.hold('user-42\0abc', 'run-1', 600_000);
  await writeHistory(site.client, 'user-42\0abc', [[90_000, registered]]);
  await site.client.set(recordOf('deploy'), 'job-1');
});
afterAll(() => site[Symbol.asyncDispose]());

/** What was written to the server, a line for each write. */
function sent(proxy: TcpProxy): readonly string[] {
  return proxy.writes.map(({ commands }) => commands.map(([name]) => name?.toUpperCase()).join(' '));
}

test('a thread costs two round trips: everything about it, and a listing for what its run holds besides', async () => {
  await using proxy = await startTcpProxy(site.server);
  await lease(['inspect', ...NAMED], { backend: proxy.url });
  expect(sent(proxy)).toEqual(['HELLO EVAL XREVRANGE XLEN XINFO MEMORY TIME EVAL', 'HELLO EVAL']);
  expect(proxy.connectionCount).toBe(1);
});

test('a key that is no thread’s and is held costs one round trip', async () => {
  await using proxy = await startTcpProxy(site.server);
  await lease(['inspect', 'deploy'], { backend: proxy.url });
  expect(sent(proxy)).toEqual(['HELLO EVAL']);
});

test('a thread that has to be found is found by the one listing', async () => {
  await using proxy = await startTcpProxy(site.server);
  await lease(['inspect', 'thread:abc'], { backend: proxy.url });
  expect(sent(proxy)).toEqual([
    'HELLO EVAL',
    'HELLO EVAL',
    'HELLO EVAL XREVRANGE XLEN XINFO MEMORY TIME EVAL',
  ]);
});

test('nothing is written by any way of asking: no key changes, none is added, no write is counted', async () => {
  const before = await dump();
  const ways: readonly (readonly string[])[] = [
    NAMED,
    ['thread:abc'],
    ['deploy', 'user-42\\0abc', 'nobody'],
    ['--resource', 'user-42', '--thread', 'never'],
    [...NAMED, '--observe', '300ms'],
    [],
    ['--by', 'process'],
  ];
  await site.client.config('RESETSTAT');
  const results = await Promise.all(ways.map((args) => lease(['inspect', ...args], { backend: site.name })));
  results.push(await lease(['inspect', '-'], { backend: site.name, stdin: 'abc\nnever\n' }));
  expect(results.map(({ exitCode }) => exitCode)).toEqual(results.map(() => 0));
  const statistics = await site.client.info('commandstats');
  const run = [...statistics.matchAll(/^cmdstat_([^:]+)/gm)].map(([, name = '']) => name);
  const reading = [
    'hello',
    'eval',
    'get',
    'pttl',
    'scan',
    'xrevrange',
    'xlen',
    'xinfo|groups',
    'memory|usage',
    'time',
  ];
  const watching = [
    'client|id',
    'client|tracking',
    'client|trackinginfo',
    'subscribe',
    'ping',
    'evalsha',
    'type',
  ];
  expect(run.filter((name) => ![...reading, ...watching, 'config|resetstat', 'info'].includes(name))).toEqual(
    [],
  );
  expect(await dump()).toEqual(before);
});

/** Every key with its value as the server serialises it. */
async function dump(): Promise<Readonly<Record<string, string | undefined>>> {
  const keys = (await site.client.keys('*')).sort();
  const values = await Promise.all(keys.map((key) => site.client.dumpBuffer(key)));
  return Object.fromEntries(keys.map((key, index) => [key, values[index]?.toString('base64')]));
}
