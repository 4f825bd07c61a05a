import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../support/redis-server.js';
import { makeTempDir } from '../support/temp-dir.js';
import { startTerminal } from '../support/terminal.js';
import { makePackage } from './application-folder.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
  await site.hold('deploy', 'job-1');
});
afterAll(() => site[Symbol.asyncDispose]());

/** The lines of `--verbose`, with times left out. */
function details(stderr: string): readonly string[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('verbose: '))
    .map((line) => line.slice('verbose: '.length).replace(/\d+(\.\d)? m?s\b/g, 'TIME'));
}

test('tells why this backend, what was loaded and sent, how long it took, and changes no answer', async () => {
  await using folder = await makeTempDir();
  const env = { REDIS_URL: site.name };
  const [verbose, plain] = [
    await lease(['owner', 'deploy', '-v'], { env, cwd: folder.path }),
    await lease(['owner', 'deploy'], { env, cwd: folder.path }),
  ];
  const server = site.name.replace('redis://', '');
  expect(details(verbose.stderr).map((line) => line.replace(/none in .*|no src\/mastra.*/, 'WHERE'))).toEqual(
    [
      expect.stringMatching(/^mastra-lease \d+\.\d+\.\d+, Node\.js v\d+\.\d+\.\d+, \w+$/),
      'backend: --backend: no, not given',
      'backend: --context: no, not given',
      'backend: MASTRA_LEASE_BACKEND: no, not given',
      'backend: MASTRA_LEASE_CONTEXT: no, not given',
      'backend: config: no, WHERE',
      'backend: mastra project: no, WHERE',
      'backend: REDIS_URL: yes, set',
      'loaded: RedisLeaseProvider',
      'listing and time left: the provider itself (own)',
      `redis: connecting to ${server}: TIME`,
      `redis: HELLO to ${server}: TIME`,
      `redis: EVAL mastra:topic:lease:deploy to ${server}: TIME`,
      'exit code 0 after TIME',
    ],
  );
  expect(verbose.stderr).toContain(`config: no, none in ${folder.path}`);
  expect(verbose.stdout).toBe(plain.stdout);
  expect(details(plain.stderr)).toEqual([]);
});

test('is told with --quiet and --json too, and stdout stays the answer alone', async () => {
  const result = await lease(['list', '--json', '--quiet', '--verbose'], { backend: site.name });
  expect(result.json()).toHaveLength(2);
  expect(result.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('verbose: '))).toEqual(
    [],
  );
  expect(details(result.stderr)).toContain(`redis: EVAL to ${site.name.replace('redis://', '')}: TIME`);
});

test('never tells a secret: not of a URL, a variable, a password file, a .env or an error', async () => {
  await using server = await startRedis({ password: 'hunter2-s3cret' });
  await using folder = await makeTempDir();
  const file = join(folder.path, 'password');
  await writeFile(file, 'hunter2-s3cret\n');
  const url = server.url.replace(/\/\/.*@/, '//');
  const wrong = url.replace('redis://', 'redis://:wr0ng-s3cret@');
  const runs = await Promise.all([
    lease(['owner', 'k', '-v', '--backend', url.replace('redis://', 'redis://:hunter2-s3cret@')]),
    lease(['owner', 'k', '-v', '--backend', url], { env: { MASTRA_LEASE_PASSWORD: 'hunter2-s3cret' } }),
    lease(['owner', 'k', '-v', '--backend', url, '--password-file', file]),
    lease(['owner', 'k', '-v'], { env: { REDIS_URL: wrong } }),
  ]);
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([4, 4, 4, 10]);
  for (const { stdout, stderr } of runs) {
    expect(stderr).toMatch(/^verbose: redis: AUTH to /m);
    expect(stdout + stderr).not.toContain('s3cret');
  }
});

test('names the .env that a module saw, before the module runs, and never what is in it', async () => {
  await using app = await makePackage({
    'good.mjs': `export const pubsub = { ${METHODS} };`,
    'failing.mjs': 'throw new Error("no REDIS_URL");',
    '.env': 'LABEL=s3cret\n',
  });
  for (const [module, exitCode] of [
    ['./good.mjs', 4],
    ['./failing.mjs', 2],
  ] as const) {
    const result = await lease(['owner', 'k', '-v', '--backend', module], { cwd: app.path });
    expect(result.exitCode).toBe(exitCode);
    expect(details(result.stderr)).toContainEqual(expect.stringMatching(/^variables: .*\/\.env$/));
    expect(result.stderr).not.toContain('s3cret');
  }
});

const METHODS = ['acquireLease', 'getLeaseOwner', 'releaseLease', 'renewLease', 'transferLease']
  .map((method) => `async ${method}() {}`)
  .join(', ');

test('a listing of many steps is told by its first commands and a count', async () => {
  await using server = await startRedis();
  const client = await server.client();
  await client.eval("for i = 1, 300000 do redis.call('set', 'other:' .. i, 'x') end", 0);
  const { stderr, exitCode } = await lease(['list', '-v'], { backend: server.url });
  expect(exitCode).toBe(0);
  expect(details(stderr).filter((line) => /^redis: (HELLO|EVAL) /.test(line))).toHaveLength(40);
  expect(details(stderr)).toContainEqual(expect.stringMatching(/^redis: and \d+ more commands$/));
});

test('is never written into a screen', async () => {
  await using terminal = await startTerminal(['watch', '--verbose'], {
    env: { MASTRA_LEASE_BACKEND: site.name },
  });
  await terminal.waitForScreen(/deploy +job-1/);
  terminal.type('q');
  expect(await terminal.end()).toBe(0);
  expect(terminal.raw).not.toContain('verbose: redis:');
});
