import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { startRedis } from '../support/redis-server.js';
import { runCli, startCli } from '../support/run-cli.js';
import { waitFor } from '../support/wait-for.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/agent/run.ts', import.meta.url));
const THREAD = ['--thread', 't-1'];
const FREE = 4;
const LEASE_TTL_MS = 10_000;
/** Renewed ten times as often as needed, so that a busy machine costs no lease. */
const LEASE_TIMES = {
  MASTRA_AGENT_THREAD_LEASE_TTL_MS: String(LEASE_TTL_MS),
  MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS: '1000',
};

vi.setConfig({ testTimeout: 50_000 });

/** The example, a real Mastra agent in a process of its own, which counts the seconds to `seconds`. */
async function startAgent(redisUrl: string, seconds: number) {
  const env = { REDIS_URL: redisUrl, ...LEASE_TIMES };
  const agent = await startCli([String(seconds)], { env, command: [process.execPath, EXAMPLE] });
  const start = /^run (.+)\nlease held by (.+)\n/;
  const [, runId = '', holder = ''] = await agent.waitForOutput('stdout', start, 20_000);
  const lastNumber = () => Number(/(\d+) $/.exec(agent.output.stdout)?.[1] ?? 0);
  return {
    runId,
    holder,
    done: agent.done,
    /** Settles once it has gone on for longer than the second after which it renews. */
    countsOn: () => agent.waitForOutput('stdout', new RegExp(`\\b${lastNumber() + 2} `)),
    /** Asks it to end, as Ctrl-C does. */
    async end() {
      agent.child.kill('SIGINT');
      return await agent.done;
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  };
}

/** The command line, in other processes. */
function cliOn(redisUrl: string) {
  return (...args: readonly string[]) => runCli(args, { env: { REDIS_URL: redisUrl } });
}

test('the lease of a running Mastra agent is seen from other processes, renewed, and free after its end', async () => {
  await using redis = await startRedis();
  const cli = cliOn(redis.url);
  await using agent = await startAgent(redis.url, 60);
  expect(agent.runId).toMatch(/^[0-9a-f-]{36}$/);
  expect(agent.holder).toBe(agent.runId);

  expect(await cli('owner', ...THREAD)).toMatchObject({ exitCode: 0, stdout: `${agent.runId}\n` });
  expect(await cli('owner', 'thread:t-1')).toMatchObject({ exitCode: 0, stdout: `${agent.runId}\n` });
  expect((await cli('list', '--json')).json()).toMatchObject([
    { key: 'user-42\\0t-1', kind: 'thread', resource: 'user-42', thread: 't-1', owner: agent.runId },
    { complete: true, total: 1, exitCode: 0 },
  ]);

  let leastMs = Number.POSITIVE_INFINITY;
  const isRenewed = async () => {
    const [lease] = (await cli('owner', ...THREAD, '--json')).json();
    const remainingMs = Number(lease?.remainingMs);
    expect(remainingMs).toBeLessThanOrEqual(LEASE_TTL_MS);
    leastMs = Math.min(leastMs, remainingMs);
    return remainingMs > leastMs;
  };
  await waitFor(isRenewed, { deadlineMs: 15_000, what: 'time left that goes up again' });

  expect(await agent.end()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/\nended, lease free\n$/),
  });
  expect(await cli('owner', ...THREAD)).toMatchObject({ exitCode: FREE, stdout: '' });
});

test('an agent whose run ends by itself leaves its lease free', async () => {
  await using redis = await startRedis();
  await using agent = await startAgent(redis.url, 1);
  expect(agent.holder).toBe(agent.runId);
  expect(await agent.done).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('ended, lease free'),
  });
  expect(await cliOn(redis.url)('owner', ...THREAD)).toMatchObject({ exitCode: FREE });
});

test('an agent goes on without its lease once that was transferred, and never gets it back', async () => {
  await using redis = await startRedis();
  const cli = cliOn(redis.url);
  await using agent = await startAgent(redis.url, 60);
  const transfer = ['transfer', ...THREAD, '--from', agent.runId, '--to', 'other', '--ttl', '60s'];
  const transferred = await cli(...transfer);
  expect(transferred).toMatchObject({ exitCode: 0, stdout: 'transferred\n' });
  expect(transferred.stderr).toContain('this stops no run');

  await agent.countsOn();
  expect(await cli('owner', ...THREAD)).toMatchObject({ exitCode: 0, stdout: 'other\n' });

  expect(await cli('release', ...THREAD, '--owner', 'other')).toMatchObject({ exitCode: 0 });
  await agent.countsOn();
  expect(await cli('owner', ...THREAD)).toMatchObject({ exitCode: FREE });

  const acquire = ['acquire', ...THREAD, '--resource', 'user-42', '--owner', 'next', '--ttl', '60s'];
  expect(await cli(...acquire)).toMatchObject({ exitCode: 0 });
  expect((await agent.end()).stdout).toMatch(/\nended, lease held by next\n$/);
  expect(await cli('owner', ...THREAD)).toMatchObject({ exitCode: 0, stdout: 'next\n' });
});

test('an agent that is refused the lease runs beside the holder and leaves the lease alone', async () => {
  await using redis = await startRedis();
  const cli = cliOn(redis.url);
  const acquire = ['acquire', ...THREAD, '--resource', 'user-42', '--owner', 'holder', '--ttl', '60s'];
  expect(await cli(...acquire)).toMatchObject({ exitCode: 0 });
  await using agent = await startAgent(redis.url, 1);
  expect(agent.holder).toBe('holder');
  expect((await agent.done).stdout).toMatch(/\n1 \nended, lease held by holder\n$/);
  expect(await cli('owner', ...THREAD)).toMatchObject({ exitCode: 0, stdout: 'holder\n' });
});
