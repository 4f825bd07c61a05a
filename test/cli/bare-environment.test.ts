import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BIN, runCli } from '../support/run-cli.js';
import { makeTempDir } from '../support/temp-dir.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

/** No variable at all, HOME and PATH included, and stdin closed. */
const NO_ENVIRONMENT = 'exec env -i "$@" <&-';
/** A user id that has no name and no home. */
const RANDOM_UID = `exec setpriv --reuid=54321 --regid=54321 --clear-groups env -i "$@" <&-`;
/** As a distroless pod: the file system is read-only too. */
const READ_ONLY = `mount -o remount,bind,ro / && ${RANDOM_UID}`;

type Command = readonly [string, ...string[]];
const inShell = (script: string): Command => ['/bin/sh', '-c', script, 'sh', process.execPath, BIN];

/** What this machine lets the tests take away, most first: a part of it needs root, or more than a container has. */
const ENVIRONMENTS: readonly { readonly name: string; readonly command: Command }[] = [
  {
    name: 'a random uid and a read-only file system',
    command: ['/bin/sh', '-c', 'exec unshare -m "$@"', 'sh', ...inShell(READ_ONLY)],
  },
  { name: 'a random uid', command: inShell(RANDOM_UID) },
  { name: 'an empty environment', command: inShell(NO_ENVIRONMENT) },
];

let site: RedisSite;
let command: Command;

beforeAll(async () => {
  site = await openRedisSite();
  for (const environment of ENVIRONMENTS) {
    ({ command } = environment);
    if ((await run(['--version'])).exitCode === 0) return;
  }
  throw new Error('This machine runs the program in no environment at all');
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

function run(args: readonly string[]) {
  return runCli(args, { command, env: { HOME: undefined, PATH: undefined } });
}

describe('with no HOME, no PATH, no stdin, no terminal, and as no known user on a read-only system where that can be', () => {
  test('owner answers, and says nothing more than it does elsewhere', async () => {
    await site.hold('deploy', 'run-1');
    const held = await run(['owner', 'deploy', '--backend', site.name]);
    expect(held).toMatchObject({ stdout: 'run-1\n', stderr: `${site.source} · --backend\n`, exitCode: 0 });
    const free = await run(['owner', 'nightly', '--backend', site.name]);
    expect(free).toMatchObject({ stdout: '', exitCode: 4 });
  });

  test('list answers', async () => {
    await site.hold('user-42\0t-1', 'run-1');
    const result = await run(['list', '--backend', site.name]);
    expect(result.stdout).toMatch(/^thread\tuser-42\\0t-1\trun-1\t\d+\tok\tuser-42\tt-1\n$/);
    expect(result).toMatchObject({ stderr: `1 lease\n${site.source} · --backend\n`, exitCode: 0 });
  });

  test('acquire makes an owner without a user’s name, and release takes it', async () => {
    const { stdout, exitCode } = await run(['acquire', 'deploy', '--backend', site.name]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(process.getuid?.() === 0 ? /^(uid-54321|root)@/ : /^\S+@/);
    const release = ['release', 'deploy', '--owner', stdout.trim(), '--backend', site.name];
    expect(await run(release)).toMatchObject({ stdout: 'released\n', exitCode: 0 });
  });

  test.each([
    ['renew deploy --owner run-1', 0, 'renewed\n', 'renewed: '],
    ['transfer deploy --from run-1 --to run-2', 0, 'transferred\n', 'moved: '],
    ['release deploy --force --yes', 0, 'released\n', 'released: '],
    ['wait deploy --until held', 0, 'met\n', 'held: '],
    ['watch --for 1s', 0, 'deploy  run-1', ''],
    ['inspect deploy', 0, 'held by run-1', ''],
    ['check', 0, 'RedisLeaseProvider', ''],
    ['acquire nightly --keep --max-duration 200ms', 0, '@', 'gave nightly back'],
    ['exec nightly -- echo it ran', 0, 'it ran\n', 'holding nightly as '],
    ['conformance --level structural', 0, 'conforms: ', ''],
  ] as const)('%s ends with %d', async (words, exitCode, stdout, stderr) => {
    await site.hold('deploy', 'run-1');
    const [verb = '', ...rest] = words.split(' ');
    const result = await run([verb, '--backend', site.name, ...rest]);
    expect(result.stderr).toContain(stderr);
    expect(result.stdout).toContain(stdout);
    expect(result).toMatchObject({ exitCode });
  });

  test.each([
    ['owner deploy', 'no home directory'],
    ['acquire deploy --backend local', 'no home directory'],
    ['acquire deploy --backend sqlite:/proc/leases.db', 'a directory to write to at /proc'],
    ['watch --record /proc/recording --backend REDIS', 'a file that can be made after --record'],
    ['acquire deploy --audit-file /proc/audit --backend REDIS', 'nothing was sent'],
  ])('%s says why it cannot', async (words, why) => {
    const result = await run(words.replace('REDIS', site.name).split(' '));
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error [^\n]+\n$/);
    expect(result.stderr).toContain(why);
    expect(await site.heldKeys()).toEqual([]);
  });

  test('keys from stdin are none, when there is no stdin', async () => {
    const result = await run(['owner', '-', '--backend', site.name]);
    expect(result).toMatchObject({ stdout: '', exitCode: 2 });
    expect(result.stderr).toContain('Expected keys on stdin');
  });
});

test('help and version need nothing', async () => {
  expect(await run(['--help'])).toMatchObject({ stderr: '', exitCode: 0 });
  expect(await run(['owner', '--help'])).toMatchObject({ stderr: '', exitCode: 0 });
});

describe('with no room left on the disk', () => {
  /** Not one byte can be written to any file; stdout and stderr are pipes. */
  const FULL_DISK = 'ulimit -f 0; exec "$@"';

  const LOCAL = [
    'owner deploy',
    'list',
    'wait deploy --until free --timeout 1s',
    'inspect deploy',
    'acquire nightly --owner run-1',
    'renew deploy --owner run-1',
    'transfer deploy --from run-1 --to run-2',
    'release deploy --owner run-1',
    'exec nightly -- echo it ran',
  ];

  test('every verb on the embedded backend ends with 7, and nothing has changed', async () => {
    await using home = await makeTempDir();
    const env = { HOME: home.path, XDG_STATE_HOME: join(home.path, 'state') };
    await lease(['acquire', 'deploy', '--owner', 'run-1', '--ttl', '10m'], { env });
    await Promise.all(
      LOCAL.map(async (words) => {
        const result = await lease(words.split(' '), { env, command: inShell(FULL_DISK) });
        expect({ words, ...result }).toMatchObject({ words, exitCode: 7, stdout: '' });
        expect(result.stderr).toMatch(/^(mastra-lease: )?error \S+leases\.db failed: .* is there room left/);
      }),
    );
    expect(await lease(['owner', 'deploy', 'nightly'], { env })).toMatchObject({
      stdout: expect.stringMatching(/^deploy\theld\trun-1\t\d+\nnightly\tfree/),
    });
  });

  test('a recording says that it ends early, and is no success', async () => {
    await using home = await makeTempDir();
    const file = join(home.path, 'recording');
    const result = await lease(['watch', '--for', '500ms', '--record', file], {
      backend: site.name,
      command: inShell(FULL_DISK),
    });
    expect(result).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('backend-up') });
    expect(result.stderr).toContain(`error The recording ${file} ends early: `);
  });

  test('an audit that cannot be written is told on stderr, and the write is told as done', async () => {
    await using home = await makeTempDir();
    const file = join(home.path, 'audit');
    const result = await lease(['acquire', 'deploy', '--owner', 'run-1', '--audit-file', file], {
      backend: site.name,
      command: inShell(FULL_DISK),
    });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'run-1\n' });
    expect(result.stderr).toMatch(/audit could not be written \(\w+\): \{"schema":"mastra-lease\/audit@1"/);
    expect((await site.read('deploy'))?.owner).toBe('run-1');
  });
});
