import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

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
