import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { startRedis } from '../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

/** Long enough that a command which waits for it fails the test. */
const TIMEOUT = ['--timeout', '60s'];
const ENDS_WITHIN_MS = 8_000;

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

const WRITE_WARNING =
  'a write may have been sent (acquire deploy for run-1): read the lease before trying again\n';

const HANGING = [['owner', 'deploy'], ['list'], ['acquire', 'deploy', '--owner', 'run-1']] as const;

let site: RedisSite;
let proxy: TcpProxy;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(async () => {
  proxy = await startTcpProxy(site.server);
  proxy.pause();
  return () => proxy.stop();
});
afterAll(() => site[Symbol.asyncDispose]());

test.each(SIGNALS.flatMap(([signal, code]) => HANGING.map((args) => [signal, code, args] as const)))(
  '%s ends with %d, at once, what waits for an answer: %j',
  async (signal, exitCode, args) => {
    await using running = await startLease([...args, ...TIMEOUT], {
      backend: proxy.url,
      timeoutMs: ENDS_WITHIN_MS,
    });
    await waitFor(() => proxy.commands.some(([name]) => name === 'eval'), { what: 'the command to be sent' });
    running.child.kill(signal);
    expect(await running.done).toMatchObject({
      exitCode,
      stdout: '',
      stderr: `error Interrupted by ${signal}\n${args[0] === 'acquire' ? WRITE_WARNING : ''}`,
    });
  },
);

test.each([
  ['a read', ['owner', 'deploy'], {}],
  ['a write, which may have been sent', ['acquire', 'deploy', '--owner', 'run-1'], { mayHaveWritten: true }],
] as const)('says so as JSON too: %s', async (_, args, more) => {
  await using running = await startLease([...args, '--json', ...TIMEOUT], {
    backend: proxy.url,
    timeoutMs: ENDS_WITHIN_MS,
  });
  await waitFor(() => proxy.commands.some(([name]) => name === 'eval'), { what: 'the command to be sent' });
  running.child.kill('SIGINT');
  expect((await running.done).json()).toEqual([
    {
      schema: 'mastra-lease/error@1',
      verb: args[0],
      exitCode: 130,
      error: { code: 'ERR_INTERRUPTED', message: 'Interrupted by SIGINT' },
      ...more,
      source: expect.objectContaining({ backend: `${proxy.url}/0` }),
    },
  ]);
});

test('ends at once what is still logging in', async () => {
  await using server = await startRedis({ password: 'hunter2' });
  await using silent = await startTcpProxy(server);
  silent.pause();
  await using running = await startLease(['owner', 'deploy', ...TIMEOUT], {
    backend: silent.url,
    timeoutMs: ENDS_WITHIN_MS,
  });
  await waitFor(() => silent.commands.length > 0, { what: 'AUTH to be sent' });
  running.child.kill('SIGINT');
  expect(await running.done).toMatchObject({ exitCode: 130, stderr: 'error Interrupted by SIGINT\n' });
});

test('ends at once what is still in a TLS handshake that nobody answers', async () => {
  const port = await findFreePort();
  const silent: Server = createServer((socket) => void socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve));
  const connected = new Promise((resolve) => silent.once('connection', resolve));
  await using running = await startLease(['owner', 'deploy', ...TIMEOUT], {
    backend: `rediss://127.0.0.1:${port}`,
    timeoutMs: ENDS_WITHIN_MS,
  });
  await connected;
  running.child.kill('SIGTERM');
  expect(await running.done).toMatchObject({ exitCode: 143 });
  silent.close();
});

test('a listing that is under way ends where it is', async () => {
  const pipeline = site.client.pipeline();
  for (let index = 0; index < 5_000; index += 1)
    pipeline.set(`mastra:topic:lease:key-${index}`, 'run-1', 'PX', 600_000);
  await pipeline.exec();
  proxy.resume();
  proxy.setRoundTripMs(200);
  await using running = await startLease(['list', '--json'], {
    backend: proxy.url,
    timeoutMs: ENDS_WITHIN_MS,
  });
  await running.waitForOutput('stdout', /"key":"key-/);
  running.child.kill('SIGINT');
  const result = await running.done;
  expect(result.exitCode).toBe(130);
  expect(result.json().at(-1)).toMatchObject({ exitCode: 130, error: { code: 'ERR_INTERRUPTED' } });
});
