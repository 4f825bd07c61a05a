import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir } from '../support/temp-dir.js';
import { startTerminal } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';
import { endProcess, isRunning, waitForEnd } from './running-command.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
afterEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

function start(args: readonly string[], options: Parameters<typeof startLease>[1] = {}) {
  return startLease(['exec', ...args], { backend: site.name, timeoutMs: 15_000, ...options });
}

function shell(script: string, args: readonly string[] = []) {
  return start(['deploy', ...args, '--', 'sh', '-c', script]);
}

describe('while the command runs', () => {
  test.each(['INT', 'TERM', 'HUP', 'QUIT', 'USR1', 'USR2'] as const)(
    '%s reaches it, and what it started, and how it ends is how exec ends',
    async (signal) => {
      // In the foreground: a shell has what it puts in the background ignore INT and QUIT.
      const grandchild = `trap "echo grandchild ${signal}; exit" ${signal}; echo ready; while :; do sleep 0.02; done`;
      await using running = await shell(
        `trap 'echo child ${signal}; exit 33' ${signal}; sh -c '${grandchild}'; :`,
      );
      await running.waitForOutput('stdout', /ready/);
      running.child.kill(`SIG${signal}`);
      const { exitCode, stdout } = await running.done;
      expect(stdout.split('\n')).toEqual(expect.arrayContaining([`grandchild ${signal}`, `child ${signal}`]));
      expect({ exitCode, held: await site.heldKeys() }).toEqual({ exitCode: 33, held: [] });
    },
  );

  test('a signal that ends it ends exec with 128 and its number', async () => {
    await using running = await shell('echo ready; exec sleep 60');
    await running.waitForOutput('stdout', /ready/);
    running.child.kill('SIGTERM');
    expect(await running.done).toMatchObject({ exitCode: 143, signal: null });
  });

  test('a command that goes on after a signal goes on under its lease', async () => {
    await using running = await shell(
      'trap "again=yes" TERM; echo ready; until [ "$again" ]; do sleep 0.02; done; trap "exit 0" USR1; echo again; while :; do sleep 0.02; done',
    );
    await running.waitForOutput('stdout', /ready/);
    running.child.kill('SIGTERM');
    await running.waitForOutput('stdout', /again/);
    expect(await site.heldKeys()).toEqual(['deploy']);
    running.child.kill('SIGUSR1');
    expect((await running.done).exitCode).toBe(0);
  });

  test('the lost parent of an npx counts as TERM, which npx does not pass on', async () => {
    await using directory = await makeTempDir();
    const script = `'${process.execPath}' '${BIN}' exec deploy -- sh -c 'trap "echo terminated; exit 0" TERM; echo ready; while :; do sleep 0.02; done'; true`;
    await using running = await startLease([script], {
      backend: site.name,
      command: ['/bin/sh', '-c'],
      env: { npm_command: 'exec', HOME: directory.path },
      timeoutMs: 15_000,
    });
    await running.waitForOutput('stdout', /ready/);
    running.child.kill('SIGKILL');
    await running.done;
    expect(running.output.stdout).toBe('ready\nterminated\n');
    await waitFor(async () => (await site.heldKeys()).length === 0, { what: 'the lease to be given back' });
  });
});

describe('the lease is given back', () => {
  test('only when everything in the group has ended, and until then it is held', async () => {
    await using directory = await makeTempDir();
    const stop = join(directory.path, 'stop');
    await using running = await shell(`(while [ ! -e '${stop}' ]; do sleep 0.02; done) & exit 4`, [
      '--ttl',
      '1500ms',
      '--grace',
      '100ms',
    ]);
    await running.waitForOutput('stderr', /ended with 4, and something that it started runs on/);
    await expect(
      waitFor(async () => (await site.heldKeys()).length === 0, { deadlineMs: 1_600 }),
    ).rejects.toThrow();
    await writeFile(stop, '');
    expect((await running.done).exitCode).toBe(4);
    expect(await site.heldKeys()).toEqual([]);
  });

  test('although a zombie is left in the group', async () => {
    const script =
      '(sleep 0.05 & echo "keeper $(exec sh -c \'echo $PPID\')"; exec setsid sleep 60) & sleep 0.3; exit 6';
    await using running = await shell(script);
    const keeper = Number((await running.waitForOutput('stdout', /keeper (\d+)/))[1]);
    try {
      await waitFor(async () => (await site.heldKeys()).length === 0, { what: 'the release' });
      expect(await isRunning(keeper)).toBe(true);
    } finally {
      endProcess(keeper);
    }
    expect((await running.done).exitCode).toBe(6);
  });
});

describe('before the command runs, a signal starts nothing and leaves nothing held:', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 130],
    ['SIGUSR1', 143],
  ] as const)('%s while it waits for the key: %d', async (signal, exitCode) => {
    await using proxy = await startTcpProxy(site.server);
    await site.hold('deploy', 'job-9');
    await using running = await start(['deploy', '--wait', '60s', '--', 'echo', 'ran'], {
      backend: proxy.url,
    });
    await waitFor(() => proxy.commands.length > 0, { what: 'the first try' });
    running.child.kill(signal);
    expect(await running.done).toMatchObject({
      exitCode,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^(mastra-lease: waiting up to .*\\n)?mastra-lease: error Interrupted by ${signal}\\n$`),
      ),
    });
    expect(await site.read('deploy')).toMatchObject({ owner: 'job-9' });
  });

  test('while the answer to the acquisition is on its way', async () => {
    await using proxy = await startTcpProxy(site.server);
    proxy.pause('down');
    await using running = await start(['deploy', '--', 'echo', 'ran'], { backend: proxy.url });
    await waitFor(async () => (await site.heldKeys()).length === 1, { what: 'the acquisition' });
    running.child.kill('SIGINT');
    await expect(waitFor(() => running.child.exitCode !== null, { deadlineMs: 300 })).rejects.toThrow();
    proxy.resume();
    expect(await running.done).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await site.heldKeys()).toEqual([]);
  });

  test('a second one ends it at once, whatever it waits for', async () => {
    await using proxy = await startTcpProxy(site.server);
    proxy.pause();
    await using running = await start(['deploy', '--ttl', '1h', '--', 'echo', 'ran'], { backend: proxy.url });
    await waitFor(() => proxy.commands.length > 0, { what: 'the acquisition to be sent' });
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    const { exitCode, stdout } = await running.done;
    expect({ exitCode: [130, 143].includes(exitCode ?? 0), stdout }).toEqual({ exitCode: true, stdout: '' });
  });
});

describe('on a terminal', () => {
  test('the command has the terminal, ctrl-c reaches it once, and the lease is given back after it', async () => {
    const script = 'trap "echo INT" INT; read line; echo "read $line"; read next; echo "then $next"; exit 3';
    await using running = await startTerminal(['exec', 'deploy', '--', 'sh', '-c', script], {
      env: { MASTRA_LEASE_BACKEND: site.name },
    });
    await running.waitForScreen(/holding deploy/);
    running.type('one\r');
    await running.waitForScreen(/read one/);
    expect(await site.heldKeys()).toEqual(['deploy']);
    running.type('\x03');
    await running.waitForScreen(/INT/);
    running.type('two\r');
    expect(await running.end()).toBe(3);
    expect(running.lines.join('\n').match(/^(\^C)?INT$/gm)).toHaveLength(1);
    expect(await site.heldKeys()).toEqual([]);
  });

  test('TERM is passed on to the command', async () => {
    await using running = await startTerminal(
      [
        'exec',
        'deploy',
        '--',
        'sh',
        '-c',
        'trap "echo got TERM; exit 9" TERM; echo ready $$; while :; do sleep 0.02; done',
      ],
      { env: { MASTRA_LEASE_BACKEND: site.name } },
    );
    const pid = Number((await running.waitForScreen(/ready (\d+)/))[1]);
    process.kill(running.pid, 'SIGTERM');
    expect(await running.end()).toBe(9);
    await waitForEnd(pid);
  });
});
