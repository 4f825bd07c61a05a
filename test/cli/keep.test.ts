import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { lease, startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
afterEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

const SHORT = ['--owner', 'job-1', '--ttl', '1500ms'];

function keep(args: readonly string[] = SHORT, options: Parameters<typeof startLease>[1] = {}) {
  return startLease(['acquire', 'deploy', '--keep', ...args], {
    backend: site.name,
    timeoutMs: 15_000,
    ...options,
  });
}

describe('acquire --keep', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'says once that it holds the key, renews it until %s, and gives it back',
    async (signal, exitCode) => {
      await using running = await keep();
      await running.waitForOutput('stdout', /job-1\n/);
      await expect(
        waitFor(async () => (await site.heldKeys()).length === 0, { deadlineMs: 2_000 }),
      ).rejects.toThrow();
      running.child.kill(signal);
      const { stdout, stderr, exitCode: code } = await running.done;
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: 'job-1\n' });
      expect(stderr).toMatch(/renewed until SIGINT.*\n.*\naudit: .*\ngave deploy back\n$/);
      expect(await site.heldKeys()).toEqual([]);
    },
  );

  test('gives it back after --max-duration, and that is no failure', async () => {
    await using running = await keep([...SHORT, '--max-duration', '300ms']);
    expect(await running.done).toMatchObject({ exitCode: 0, stdout: 'job-1\n' });
    expect(await site.heldKeys()).toEqual([]);
  });

  test('says once that it lost the key, and ends with 5, as JSON too', async () => {
    for (const [args, lines] of [
      [SHORT, 1],
      [[...SHORT, '--json'], 2],
    ] as const) {
      await using running = await keep(args);
      await running.waitForOutput('stdout', /job-1/);
      await site.client.set(recordOf('deploy'), 'job-9', 'PX', 60_000);
      const result = await running.done;
      expect(result.exitCode).toBe(5);
      expect(result.stderr).toMatch(/error deploy: the lease is no longer ours/);
      expect(result.stdout.trim().split('\n')).toHaveLength(lines);
      if (lines === 2) {
        expect(result.json()).toEqual([
          expect.objectContaining({ verb: 'acquire', status: 'acquired', key: 'deploy', owner: 'job-1' }),
          expect.objectContaining({
            exitCode: 5,
            error: expect.objectContaining({ code: 'ERR_LEASE_LOST' }),
          }),
        ]);
      }
      expect(await site.read('deploy')).toMatchObject({ owner: 'job-9' });
      await site.clear();
    }
  });

  test('ends when whoever reads the answer has left', async () => {
    const bin = new URL('../../bin/mastra-lease.js', import.meta.url).pathname;
    const script = `{ sleep 0.2; '${process.execPath}' '${bin}' acquire deploy --keep --owner job-1; echo "code $?" >&2; } | true`;
    const { stderr } = await lease([script], { backend: site.name, command: ['/bin/sh', '-c'] });
    expect(stderr).toMatch(/code 0\n$/);
    expect(await site.heldKeys()).toEqual([]);
  });

  test('is refused while another holds the key, and waits for it where that is asked', async () => {
    await site.hold('deploy', 'job-9', 3_000);
    await using refused = await keep();
    expect(await refused.done).toMatchObject({ exitCode: 3, stdout: '' });
    await using running = await keep([...SHORT, '--wait', '10s', '--max-duration', '100ms']);
    expect(await running.done).toMatchObject({ exitCode: 0, stdout: 'job-1\n' });
  });

  test.each([
    ['a TTL that leaves no time to renew', ['--ttl', '100ms'], 'Expected a TTL that leaves time'],
    ['--dry-run', ['--dry-run'], 'Expected --dry-run or --keep'],
    ['no time at all', ['--max-duration', '0'], 'Expected --max-duration of more than 0'],
  ])('refuses %s', async (_, args, message) => {
    await using running = await keep(args);
    expect(await running.done).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
    expect(await site.heldKeys()).toEqual([]);
  });

  test('--max-duration is for --keep alone', async () => {
    expect(await lease(['acquire', 'deploy', '--max-duration', '1m'], { backend: site.name })).toMatchObject({
      exitCode: 2,
    });
  });
});

describe('acquire --wait', () => {
  const acquire = (args: readonly string[], backend = site.name) =>
    lease(['acquire', 'deploy', '--owner', 'job-1', '--wait', ...args], { backend });

  test('gets a key that is free at once, and one that expires when it does', async () => {
    expect(await acquire(['10s'])).toMatchObject({ exitCode: 0, stdout: 'job-1\n' });
    await site.hold('deploy', 'job-9', 800);
    expect(await acquire(['10s'])).toMatchObject({ exitCode: 0, stdout: 'job-1\n' });
    expect(await site.read('deploy')).toMatchObject({ owner: 'job-1' });
  });

  test('gives up with 6 and names the holder where there is time to see no more than that', async () => {
    await using proxy = await startTcpProxy(site.server);
    proxy.setRoundTripMs(450);
    await site.hold('deploy', 'job-9');
    const { exitCode, stdout, stderr } = await acquire(['1500ms'], proxy.url);
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' });
    expect(stderr).toContain("deploy is job-9's for another");
  });

  test('gives up with 6 and names the holder, as JSON too', async () => {
    await site.hold('deploy', 'job-9');
    const { exitCode, stdout, stderr } = await acquire(['2s']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' });
    expect(stderr).toMatch(/^waiting up to 2\.0 s for its turn: deploy is job-9's \(.*\)$/m);
    expect(stderr).toContain("deploy is job-9's for another");
    const result = await acquire(['2s', '--json']);
    expect(result.json()).toEqual([
      expect.objectContaining({ exitCode: 6, status: 'held-by-other', owner: 'job-9' }),
    ]);
  });

  test('gives up with 7 when the backend is away at the end', async () => {
    const { exitCode, stdout } = await acquire(['300ms'], `redis://127.0.0.1:${await findFreePort()}`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: '' });
  });

  test('rides out a backend that is away in between', async () => {
    await using proxy = await startTcpProxy(site.server);
    await site.hold('deploy', 'job-9');
    await using running = await startLease(['acquire', 'deploy', '--owner', 'job-1', '--wait', '15s'], {
      backend: proxy.url,
      timeoutMs: 18_000,
    });
    await waitFor(() => proxy.commands.length > 2, { what: 'a look' });
    proxy.refuseNew();
    proxy.cut();
    await site.clear();
    await expect(waitFor(() => running.child.exitCode !== null, { deadlineMs: 700 })).rejects.toThrow();
    await proxy.acceptNew();
    expect(await running.done).toMatchObject({ exitCode: 0, stdout: 'job-1\n' });
  });
});
