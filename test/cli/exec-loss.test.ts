import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';
import { isRunning, waitForEnd } from './running-command.js';

const TTL = ['--ttl', '3s', '--grace', '500ms'];
const RECORD = recordOf('deploy');

let site: RedisSite;

beforeEach(async () => {
  site = await openRedisSite();
});
afterEach(() => site[Symbol.asyncDispose]());

function shell(script: string, args: readonly string[] = TTL) {
  return startLease(['exec', 'deploy', ...args, '--', 'sh', '-c', script], {
    backend: site.name,
    timeoutMs: 18_000,
  });
}

const UNTIL_TERM = 'trap "echo stopping; exit 0" TERM; echo ready; while :; do sleep 0.02; done';

describe('the command is ended, exec ends with 5 and says so, however the command ended, when', () => {
  test.each([
    ['deleted', (record: string) => site.client.del(record)],
    ['overwritten by another owner', (record: string) => site.client.set(record, 'job-9', 'PX', 60_000)],
    [
      'overwritten by another type',
      async (record: string) => {
        await site.client.del(record);
        await site.client.xadd(record, '*', 'event', 'none');
      },
    ],
  ])('the key is %s by another client', async (_, change) => {
    await using running = await shell(UNTIL_TERM, ['-q', ...TTL]);
    await running.waitForOutput('stdout', /ready/);
    await change(RECORD);
    const { exitCode, stdout, stderr } = await running.done;
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: 'ready\nstopping\n' });
    expect(stderr).toMatch(
      /^mastra-lease: lost deploy: the lease is no longer ours[^\n]+TERM now, KILL in 500 ms\n/,
    );
  });

  test('nothing more is written to a key that is another’s by now', async () => {
    await using running = await shell(UNTIL_TERM);
    await running.waitForOutput('stdout', /ready/);
    await site.client.set(RECORD, 'job-9', 'PX', 60_000);
    await running.done;
    expect(await site.read('deploy')).toMatchObject({ owner: 'job-9' });
  });

  test('the server is gone: at the deadline, with why no renewal got through', async () => {
    await using running = await shell(UNTIL_TERM);
    await running.waitForOutput('stdout', /ready/);
    await site.server.kill();
    const { exitCode, stderr } = await running.done;
    expect(exitCode).toBe(5);
    expect(stderr).toMatch(/lost deploy: no renewal got through in time[^\n]+connection refused/i);
  });
});

test('a command and a grandchild that ignore TERM are gone after the grace', async () => {
  await using running = await shell(
    'trap "" TERM; (echo "pid $(exec sh -c \'echo $PPID\')"; while :; do sleep 0.02; done) & echo "pid $$"; while :; do sleep 0.02; done',
  );
  await running.waitForOutput('stdout', /(pid \d+\n){2}/);
  const pids = [...running.output.stdout.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  expect(await Promise.all(pids.map(isRunning))).toEqual([true, true]);
  await site.client.del(RECORD);
  expect((await running.done).exitCode).toBe(5);
  expect(await Promise.all(pids.map(isRunning))).toEqual([false, false]);
});

describe('a server that is frozen', () => {
  test('for less than the TTL changes nothing', async () => {
    await using directory = await makeTempDir();
    const stop = join(directory.path, 'stop');
    await using running = await shell(`echo ready; while [ ! -e '${stop}' ]; do sleep 0.02; done`);
    await running.waitForOutput('stdout', /ready/);
    site.server.pause();
    await expect(waitFor(() => running.child.exitCode !== null, { deadlineMs: 1_200 })).rejects.toThrow();
    site.server.resume();
    await expect(waitFor(() => running.child.exitCode !== null, { deadlineMs: 2_500 })).rejects.toThrow();
    expect(await site.heldKeys()).toEqual(['deploy']);
    await writeFile(stop, '');
    expect(await running.done).toMatchObject({ exitCode: 0 });
  });

  test('for longer ends the command before another can acquire the key', async () => {
    await using directory = await makeTempDir();
    const ledger = join(directory.path, 'ledger');
    await using running = await shell(
      `trap "" TERM; echo ready; while :; do date +%s%N >> '${ledger}'; sleep 0.01; done`,
    );
    await running.waitForOutput('stdout', /ready/);
    site.server.pause();
    await waitFor(() => running.output.stderr.includes('lost deploy: no renewal got through'), {
      deadlineMs: 6_000,
    });
    // Whoever asks from now on gets it as soon as the server is back and the lease is over.
    site.server.resume();
    await waitFor(() => site.client.set(RECORD, 'job-9', 'PX', 60_000, 'NX'), {
      deadlineMs: 6_000,
      everyMs: 2,
    });
    const acquiredAt = Date.now();
    expect((await running.done).exitCode).toBe(5);
    const lastSign = Number((await readFile(ledger, 'utf8')).trim().split('\n').at(-1)) / 1e6;
    expect(lastSign).toBeLessThan(acquiredAt);
    expect(await site.read('deploy')).toMatchObject({ owner: 'job-9' });
  });
});

test('an exec that is itself frozen past its TTL never acquires again, and ends the command when it wakes', async () => {
  await using running = await shell(UNTIL_TERM.replace('echo ready', () => 'echo "ready $$"'));
  const pid = Number((await running.waitForOutput('stdout', /ready (\d+)/))[1]);
  running.child.kill('SIGSTOP');
  await waitFor(() => site.client.set(RECORD, 'job-9', 'PX', 60_000, 'NX'), { deadlineMs: 6_000 });
  running.child.kill('SIGCONT');
  const { exitCode, stderr } = await running.done;
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/lost deploy: this process slept past the end of the lease/);
  await waitForEnd(pid);
  expect(await site.read('deploy')).toMatchObject({ owner: 'job-9' });
});

test('a command that ended while exec was frozen past its TTL ran without a lease: 5', async () => {
  await using directory = await makeTempDir();
  const stop = join(directory.path, 'stop');
  await using running = await shell(`echo "ready $$"; while [ ! -e '${stop}' ]; do sleep 0.02; done; exit 0`);
  const pid = Number((await running.waitForOutput('stdout', /ready (\d+)/))[1]);
  running.child.kill('SIGSTOP');
  await waitFor(async () => (await site.heldKeys()).length === 0, { deadlineMs: 6_000 });
  await writeFile(stop, '');
  await waitForEnd(pid);
  running.child.kill('SIGCONT');
  expect(await running.done).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('lost deploy') });
});
