import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRedisSite, type RedisSite } from '../cli/lease-site.js';
import { openShell, type Shell } from '../cli/shell.js';
import { findFreePort } from '../support/free-port.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir } from '../support/temp-dir.js';

let site: RedisSite;
let shell: Shell;

beforeAll(async () => {
  site = await openRedisSite();
  shell = await openShell();
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await shell[Symbol.asyncDispose]();
});

describe('acquire … && echo yes', () => {
  const GUARD = 'mastra-lease acquire deploy --owner job-1 --timeout 1s >&2 && echo yes';

  test('says yes when the lease is held by the job now', async () => {
    expect((await shell.run(GUARD, site.name)).stdout).toBe('yes\n');
  });

  test('says nothing when another holds it', async () => {
    await site.hold('deploy', 'job-9');
    expect((await shell.run(GUARD, site.name)).stdout).toBe('');
  });

  test('says nothing when the backend is dead, silent, or loses the answer and cannot be read back', async () => {
    await using proxy = await startTcpProxy(site.server);
    proxy.pause();
    await site.clear();
    const dead = `redis://127.0.0.1:${await findFreePort()}`;
    const answers = await Promise.all(
      [dead, proxy.url, 'redis://nowhere.invalid'].map((backend) => shell.run(GUARD, backend)),
    );
    expect(answers.map(({ stdout }) => stdout)).toEqual(['', '', '']);
  });

  test('says nothing when nothing says where the leases are and it is CI', async () => {
    const { stdout, stderr } = await shell.run(`unset MASTRA_LEASE_BACKEND; CI=1; export CI; ${GUARD}`, '');
    expect(stdout).toBe('');
    expect(stderr).toContain('No backend found');
  });
});

test('a handoff in CI: acquire, renew, transfer, release, by exit codes and captured output', async () => {
  await site.clear();
  const script = `
    set -e
    owner=$(mastra-lease acquire deploy --ttl 30s -q)
    mastra-lease renew deploy --owner "$owner" --ttl 60s -q
    test "$(mastra-lease owner deploy -q)" = "$owner"
    mastra-lease transfer deploy --from "$owner" --to next-job --ttl 60s -q
    mastra-lease release deploy --owner "$owner" -q || echo "refused with $?"
    mastra-lease release deploy --owner next-job -q
    mastra-lease owner deploy -q || echo "free: $?"
  `;
  const { stdout, stderr, exitCode } = await shell.run(script, site.name);
  expect({ stdout: stdout.split('\n'), stderr, exitCode }).toEqual({
    stdout: ['renewed', 'transferred', 'held-by-other', 'refused with 3', 'released', 'free: 4', ''],
    stderr: '',
    exitCode: 0,
  });
});

test('with nothing set up, two commands share the embedded backend of the host', async () => {
  await using home = await makeTempDir();
  const script = `
    unset MASTRA_LEASE_BACKEND NODE_COMPILE_CACHE
    XDG_STATE_HOME='${join(home.path, 'state')}' HOME='${home.path}'; export XDG_STATE_HOME HOME
    mastra-lease acquire thread:abc --owner run-1
    mastra-lease owner thread:abc
    mastra-lease list
    find '${home.path}/state' -printf '%m %P\\n' | grep -v -e -wal -e -shm | sort
  `;
  const { stdout, stderr } = await shell.run(script, '');
  expect(stdout.replace(/\t\d+\t/, '\tMS\t').split('\n')).toEqual([
    'run-1',
    'run-1',
    'other\tthread:abc\trun-1\tMS\tok\t-\t-',
    '600 mastra-lease/leases.db',
    expect.stringMatching(/^7\d\d $/),
    '700 mastra-lease',
    '',
  ]);
  expect(stderr).toContain(`sqlite:${home.path}/state/mastra-lease/leases.db · default\n`);
  expect(stderr).not.toMatch(/Warning/);
});
