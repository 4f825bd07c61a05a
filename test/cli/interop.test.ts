import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

const THREAD = 'user-42\0t-1';
const NAME_IT = ['--resource', 'user-42', '--thread', 't-1'];

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

/** What Mastra's RedisStreamsPubSub writes when a run claims its thread. */
async function claimAsMastra(prefix?: string): Promise<void> {
  expect(await site.client.set(recordOf(THREAD, prefix), 'run-7f3c', 'PX', 15_000, 'NX')).toBe('OK');
}

test.each([
  ['the default prefix', undefined, []],
  ['a prefix of the application', 'mastra:my-app', ['--key-prefix', 'mastra:my-app']],
  ['a prefix with glob characters', 'app[prod]*', ['--key-prefix', 'app[prod]*']],
])(
  'a lease that Mastra wrote under %s is seen, renewed, transferred and released',
  async (_, prefix, flags) => {
    const run = (args: readonly string[]) => lease([...args, ...flags], { backend: site.name });
    const record = recordOf(THREAD, prefix);
    await claimAsMastra(prefix);

    expect(await run(['owner', ...NAME_IT])).toMatchObject({ stdout: 'run-7f3c\n', exitCode: 0 });
    expect(await run(['owner', 'thread:t-1'])).toMatchObject({ stdout: 'run-7f3c\n', exitCode: 0 });
    expect((await run(['list'])).stdout).toMatch(
      /^thread\tuser-42\\0t-1\trun-7f3c\t\d+\t(ok|late)\tuser-42\tt-1\n$/,
    );

    expect(await run(['renew', ...NAME_IT, '--owner', 'run-7f3c', '--ttl', '2m'])).toMatchObject({
      exitCode: 0,
    });
    expect(await site.client.pttl(record)).toBeGreaterThan(100_000);

    const transfer = ['transfer', ...NAME_IT, '--from', 'run-7f3c', '--to', 'run-88d0', '--ttl', '60s'];
    expect(await run(transfer)).toMatchObject({ exitCode: 0 });
    expect(await site.client.get(record)).toBe('run-88d0');
    expect(await site.client.pttl(record)).toBeLessThanOrEqual(60_000);

    expect(await run(['release', ...NAME_IT, '--owner', 'run-88d0'])).toMatchObject({ exitCode: 0 });
    expect(await site.client.dbsize()).toBe(0);
  },
);

test('a lease that was acquired here is what Mastra writes: the owner as a plain string, with a TTL', async () => {
  await lease(['acquire', ...NAME_IT, '--owner', 'run-1', '--ttl', '30s'], { backend: site.name });
  const record = recordOf(THREAD);
  expect(await site.client.keys('*')).toEqual([record]);
  expect(await site.client.type(record)).toBe('string');
  expect(await site.client.get(record)).toBe('run-1');
  expect(await site.client.pttl(record)).toBeLessThanOrEqual(30_000);
  expect(await site.client.pttl(record)).toBeGreaterThan(0);
  expect(await site.client.set(record, 'run-2', 'PX', 15_000, 'NX')).toBeNull();
});

test('a prefix by its variable is the one by its flag', async () => {
  const env = { MASTRA_LEASE_KEY_PREFIX: 'mastra:my-app' };
  await lease(['acquire', 'deploy', '--owner', 'run-1'], { backend: site.name, env });
  expect(await site.client.get(recordOf('deploy', 'mastra:my-app'))).toBe('run-1');
});

test('another prefix that begins the same shows none of its leases', async () => {
  await site.client.set(recordOf('a', 'app1'), 'run-1', 'PX', 60_000);
  await site.client.set(recordOf('b', 'appx'), 'run-2', 'PX', 60_000);
  const { stdout } = await lease(['list', '--key-prefix', 'app?'], { backend: site.name });
  expect(stdout).toBe('');
});

test('the database of the URL is the one that is used', async () => {
  await lease(['acquire', 'deploy', '--owner', 'run-1'], { backend: `${site.name}/3` });
  expect(await site.client.dbsize()).toBe(0);
  await site.client.select(3);
  expect(await site.client.get(recordOf('deploy'))).toBe('run-1');
  await site.client.select(0);
});

test('a lease without expiry is for ever, and said to be', async () => {
  await site.client.set(recordOf(THREAD), 'run-1');
  const [answer] = (await lease(['owner', ...NAME_IT, '--json'], { backend: site.name })).json();
  expect(answer).toMatchObject({ status: 'held', owner: 'run-1', remainingMs: null });
  expect(answer).not.toHaveProperty('expiresAt');
  expect((await lease(['list'], { backend: site.name })).stdout).toContain('\trun-1\t-\tno-expiry\t');
});

test('what is no lease at the key is refused with 2 by every verb, and hides no other lease', async () => {
  await site.client.xadd(recordOf('stream'), '*', 'event', '{}');
  await site.hold('deploy', 'run-1');
  const writes = {
    acquire: ['--owner', 'x'],
    release: ['--owner', 'x'],
    renew: ['--owner', 'x'],
    transfer: ['--from', 'x', '--to', 'y'],
    owner: [],
  };
  for (const [verb, flags] of Object.entries(writes)) {
    const result = await lease([verb, 'stream', ...flags], { backend: site.name });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/another type.*not a lease; nothing was changed — .*--key-prefix/);
  }
  expect((await lease(['list'], { backend: site.name })).stdout).toMatch(/^other\tdeploy\trun-1\t/);
  const both = await lease(['owner', 'stream', 'deploy'], { backend: site.name });
  expect(both.stdout).toMatch(/^stream\tERR_LEASE_WRONG_TYPE\t-\t-\ndeploy\theld\trun-1\t\d+\n$/);
  expect(both.stderr).toMatch(/^error stream: /m);
  expect(both.exitCode).toBe(2);
  const json = (await lease(['owner', 'stream', 'deploy', '--json'], { backend: site.name })).json();
  expect(json).toEqual([
    expect.objectContaining({
      key: 'stream',
      exitCode: 2,
      error: expect.objectContaining({ code: 'ERR_LEASE_WRONG_TYPE' }),
    }),
    expect.objectContaining({ key: 'deploy', status: 'held' }),
  ]);
});
