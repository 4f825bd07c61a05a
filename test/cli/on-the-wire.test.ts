import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { lease } from './lease-cli.js';
import { recordOf } from './lease-site.js';

const VERBS = {
  owner: ['owner', 'deploy'],
  acquire: ['acquire', 'deploy', '--owner', 'run-1'],
  release: ['release', 'deploy', '--owner', 'run-1'],
  renew: ['renew', 'deploy', '--owner', 'run-1'],
  transfer: ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2'],
  list: ['list'],
} as const;

const THREAD_KEYS = ['user-1\0a', 'user-2\0b', 'user-3\0c'];

/** The names of the commands of each write, and how many connections it took. */
function sent(proxy: TcpProxy): { readonly writes: readonly string[]; readonly connections: number } {
  return {
    writes: proxy.writes.map(({ commands }) => commands.map(([name]) => name?.toUpperCase()).join(' ')),
    connections: proxy.connectionCount,
  };
}

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis({ password: 'hunter2' });
});
beforeEach(async () => {
  const client = await server.client();
  await client.flushall();
  for (const key of THREAD_KEYS) await client.set(recordOf(key), 'run-1', 'PX', 60_000);
  client.disconnect();
});
afterAll(() => server.stop());

describe('sent for one verb', () => {
  test.each(Object.entries(VERBS))(
    '%s: the password alone, then HELLO and one command in one write',
    async (_, args) => {
      await using proxy = await startTcpProxy(server);
      await lease(args, { backend: proxy.url });
      expect(sent(proxy)).toEqual({ writes: ['AUTH', 'HELLO EVAL'], connections: 1 });
    },
  );

  test('password and database together, before anything else', async () => {
    await using proxy = await startTcpProxy(server);
    await lease(VERBS.owner, { backend: `${proxy.url}/3` });
    expect(sent(proxy)).toEqual({ writes: ['AUTH SELECT', 'HELLO EVAL'], connections: 1 });
    expect(proxy.commands[1]).toEqual(['select', '3']);
  });

  test('nothing but HELLO and the command where there is nothing to log in to', async () => {
    await using open = await startRedis();
    await using proxy = await startTcpProxy(open);
    await lease(VERBS.acquire, { backend: proxy.url });
    expect(sent(proxy)).toEqual({ writes: ['HELLO EVAL'], connections: 1 });
  });

  test('a database that does not exist ends it: nothing reaches database 0', async () => {
    await using proxy = await startTcpProxy(server);
    const result = await lease(VERBS.acquire, { backend: `${proxy.url}/99` });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(sent(proxy)).toEqual({ writes: ['AUTH SELECT'], connections: 1 });
  });

  test('a user without scripts gets GET and PTTL instead', async () => {
    await using limited = await startRedis({ aclUsers: { reader: 'on >secret ~* +get +pttl +hello' } });
    await using proxy = await startTcpProxy(limited);
    const env = { MASTRA_LEASE_USERNAME: 'reader', MASTRA_LEASE_PASSWORD: 'secret' };
    expect(await lease(VERBS.owner, { backend: proxy.url, env })).toMatchObject({ exitCode: 4 });
    expect(sent(proxy)).toEqual({ writes: ['AUTH', 'HELLO EVAL', 'HELLO GET PTTL'], connections: 1 });
  });
});

describe('sent for keys that have to be found', () => {
  test('thread:a is one read of the literal key and one listing', async () => {
    await using proxy = await startTcpProxy(server);
    expect(await lease(['owner', 'thread:a'], { backend: proxy.url })).toMatchObject({ stdout: 'run-1\n' });
    expect(sent(proxy)).toEqual({ writes: ['AUTH', 'HELLO EVAL', 'HELLO EVAL'], connections: 1 });
  });

  test('a literal thread:a that is held needs no listing', async () => {
    const client = await server.client();
    await client.set(recordOf('thread:a'), 'job-1', 'PX', 60_000);
    await using proxy = await startTcpProxy(server);
    expect(await lease(['owner', 'thread:a'], { backend: proxy.url })).toMatchObject({ stdout: 'job-1\n' });
    expect(sent(proxy).writes).toEqual(['AUTH', 'HELLO EVAL']);
  });

  test('with --literal nothing is looked for', async () => {
    await using proxy = await startTcpProxy(server);
    expect(await lease(['owner', 'thread:a', '--literal'], { backend: proxy.url })).toMatchObject({
      exitCode: 4,
    });
    expect(sent(proxy).writes).toEqual(['AUTH', 'HELLO EVAL']);
  });

  test('several keys go out together on one connection, and share one listing', async () => {
    await using proxy = await startTcpProxy(server);
    const keys = ['thread:a', 'thread:b', 'thread:c', 'deploy'];
    const result = await lease(['owner', ...keys], { backend: proxy.url });
    expect(result.stdout.split('\n').map((line) => line.split('\t')[1])).toEqual([
      'held',
      'held',
      'held',
      'free',
      undefined,
    ]);
    expect(sent(proxy)).toEqual({
      writes: ['AUTH', 'HELLO EVAL EVAL EVAL EVAL', 'HELLO EVAL'],
      connections: 1,
    });
  });

  test('several keys are released on one connection, one command each', async () => {
    await using proxy = await startTcpProxy(server);
    const keys = ['user-1\\0a', 'user-2\\0b', 'user-3\\0c'];
    await lease(['release', ...keys, '--owner', 'run-1'], { backend: proxy.url });
    expect(sent(proxy)).toEqual({
      writes: ['AUTH', 'HELLO EVAL', 'HELLO EVAL', 'HELLO EVAL'],
      connections: 1,
    });
  });
});

test('nothing else is run, not by a script either: no KEYS, no INFO, no CONFIG, no CLIENT', async () => {
  const client = await server.client();
  await client.config('RESETSTAT');
  const thread = ['owner', 'thread:a'];
  await Promise.all([...Object.values(VERBS), thread].map((args) => lease(args, { backend: server.url })));
  const statistics = await client.info('commandstats');
  const run = [...statistics.matchAll(/^cmdstat_([^:]+)/gm)].map(([, name = '']) => name);
  const allowed = ['auth', 'hello', 'eval', 'get', 'pttl', 'set', 'pexpire', 'del', 'scan'];
  expect(run.filter((name) => !allowed.includes(name))).toEqual(['config|resetstat']);
});
