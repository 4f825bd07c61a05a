import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CliResult } from '../support/run-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { makePackage } from './application-folder.js';
import { type ApplicationProcess, fixture, startApplication } from './application-process.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

// Importing all of Mastra takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));
const PROJECT = fixture('mastra-project');
const ENTRY = join(PROJECT, 'src/mastra/index.ts');
const THREAD = 'user-42\0abc';

let site: RedisSite;
/** One for all: what is compiled once is found again. */
let home: TempDir;
/** The Mastra project, running by itself. */
let application: ApplicationProcess;

beforeAll(async () => {
  [site, home] = await Promise.all([openRedisSite(), makeTempDir()]);
  application = await startApplication(
    { kind: 'mastra', entry: ENTRY, root: PROJECT },
    { FIXTURE_REDIS_URL: site.name },
  );
});
beforeEach(() => site.clear());
afterAll(() => Promise.all([application, site, home].map((one) => one[Symbol.asyncDispose]())));

/** Runs the program in a folder, in the environment that the fixtures expect. */
function runIn(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const timeoutMs = 40_000;
  return lease(args, { cwd, timeoutMs, env: { HOME: home.path, FIXTURE_REDIS_URL: site.name, ...env } });
}

/** A fixture's module in a process of its own. */
async function startFixture(path: string): Promise<ApplicationProcess> {
  const started = await startApplication(
    { kind: 'module', path: fixture(path) },
    { FIXTURE_REDIS_URL: site.name },
  );
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

describe('in a Mastra project, with no flag', () => {
  const source = {
    backend: ENTRY,
    foundBy: 'mastra project',
    server: '',
    keyPrefix: 'mastra:from-env',
    database: 0,
    role: 'primary',
    provider: 'RedisStreamsPubSub',
  };
  beforeAll(() => {
    source.server = `${site.name}/0`;
  });

  test('owner gives the answer that the application itself would give, in its folder and in one below', async () => {
    await application.acquireLease(THREAD, 'run-7f3c', 60_000);
    const [held, below, free] = await Promise.all([
      runIn(PROJECT, ['owner', 'thread:abc', '--json']),
      runIn(join(PROJECT, 'src/mastra/agents'), ['owner', 'thread:abc']),
      runIn(PROJECT, ['owner', 'user-42\\0other', '--json']),
    ]);
    const owner = await application.getLeaseOwner(THREAD);
    expect(held).toMatchObject({ exitCode: 0 });
    expect(held.json()).toMatchObject([{ status: 'held', key: 'user-42\\0abc', owner, source }]);
    expect(held.json()[0]?.remainingMs).toBeGreaterThan(0);
    expect(held.json()[0]?.remainingMs).toBeLessThanOrEqual(60_000);
    expect(below).toMatchObject({ exitCode: 0, stdout: `${owner}\n` });
    expect(below.stderr).toContain(
      `${ENTRY} · ${source.server} primary · RedisStreamsPubSub · mastra:from-env · mastra project\n`,
    );
    expect(free).toMatchObject({ exitCode: 4 });
    expect(free.json()).toMatchObject([{ status: 'free', source }]);
  });

  test('its leases are listed and moved, as it sees them itself', async () => {
    await application.acquireLease(THREAD, 'run-1', 60_000);
    const list = await runIn(PROJECT, ['list']);
    expect(list).toMatchObject({ exitCode: 0 });
    expect(list.stdout).toMatch(/^thread\tuser-42\\0abc\trun-1\t\d{5}\tok\tuser-42\tabc\n$/);
    const transfer = ['transfer', '--thread', 'abc', '--force', '--yes', '--to', 'run-2', '--ttl', '60s'];
    expect(await runIn(PROJECT, transfer)).toMatchObject({ stdout: 'transferred\n', exitCode: 0 });
    expect(await application.getLeaseOwner(THREAD)).toBe('run-2');
    expect(await application.renewLease(THREAD, 'run-1', 60_000)).toBe(false);
  });

  test('an empty listing is an answer: prefix and connection are the provider’s own', async () => {
    const result = await runIn(PROJECT, ['list', '--json']);
    expect(result.exitCode).toBe(0);
    expect(result.json()).toMatchObject([{ complete: true, total: 0 }]);
  });

  test('no scratch lease is written, not even by --probe: nobody has named the backend', async () => {
    await site.client.config('RESETSTAT');
    const result = await runIn(PROJECT, ['list', '--probe']);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/^error Expected --backend, --context .* with --probe/m);
    expect(await site.client.info('commandstats')).not.toMatch(/cmdstat_(set|eval):/);
  });
});

describe('the environment of a project', () => {
  const SOURCE = `
    const { A, B, C, MASTRA_WORKERS } = process.env;
    console.log('seen:', A, B, C, MASTRA_WORKERS);
    export const pubsub = {
      async acquireLease() { return { acquired: false }; }, async getLeaseOwner() {}, async releaseLease() {},
      async renewLease() { return false; }, async transferLease() { return false; }, publish() {}, subscribe() {},
    };
    export const mastra = { pubsub, getAgent() {}, getWorkflow() {} };
  `;
  const seen = ({ stderr }: CliResult) => /^seen: (.*)$/m.exec(stderr)?.[1];

  test('is the real one, then the first file that mastra dev would read; workers are off', async () => {
    await using project = await makePackage({
      'src/mastra/index.mts': SOURCE,
      '.env.development': 'A=development\nB=development\nMASTRA_WORKERS=true\n',
      '.env.local': 'C=local\n',
      '.env': 'C=env\n',
      'other.env': 'A=other\nC=other\n',
    });
    const ask = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      runIn(project.path, ['owner', 'k', ...args], env);
    const [plain, set, other, missing] = await Promise.all([
      ask([]),
      ask([], { A: 'real' }),
      ask(['--env-file', 'other.env', '--backend', 'mastra:.']),
      // Without `--` Node itself looks for the file, and ends before any of ours runs (nodejs/node#54232).
      lease(['owner', 'k', '--env-file', 'none.env'], {
        cwd: project.path,
        command: [process.execPath, '--', BIN],
      }),
    ]);
    expect(seen(plain)).toBe('development development undefined false');
    expect(seen(set)).toBe('real development undefined false');
    expect(seen(other)).toBe('other undefined other false');
    expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
    expect(missing.stderr).toContain(`${join(project.path, 'none.env')} (ENOENT)`);
    for (const { exitCode } of [plain, set, other]) expect(exitCode).toBe(4);
  });

  test('is not read, and nothing of the folder is run, for a backend that is named by a URL', async () => {
    const trap = `import { writeFileSync } from 'node:fs'; writeFileSync('executed', ''); export default {}; export const mastra = {};`;
    await using project = await makePackage({
      'mastra-lease.config.ts': trap,
      'src/mastra/index.ts': trap,
      '.env': 'MASTRA_LEASE_KEY_PREFIX=from-env\nMASTRA_LEASE_PASSWORD=wrong\n',
    });
    await site.hold('deploy', 'run-1');
    for (const [args, env] of [
      [['--backend', site.name], {}],
      [[], { MASTRA_LEASE_BACKEND: site.name }],
    ] as const) {
      const result = await runIn(project.path, ['owner', 'deploy', ...args], env);
      expect(result).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
      expect(result.stderr).toContain(`${site.name}/0 primary · mastra:topic`);
    }
    expect(existsSync(join(project.path, 'executed'))).toBe(false);
  });
});

describe('a project is found', () => {
  test('by mastra:DIR from anywhere', async () => {
    await using elsewhere = await makeTempDir();
    await application.acquireLease('deploy', 'run-1', 60_000);
    const result = await runIn(elsewhere.path, ['owner', 'deploy', '--backend', `mastra:${PROJECT}`]);
    expect(result).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
    expect(result.stderr).toContain('· --backend\n');
  });

  test('before REDIS_URL, and not above its package', async () => {
    await using project = await makePackage({
      'src/mastra/index.mjs': 'throw new Error("must not be loaded")',
      'packages/other/package.json': {},
    });
    await site.hold('deploy', 'run-1');
    const env = { REDIS_URL: site.name };
    const inside = await runIn(project.path, ['owner', 'deploy'], env);
    expect(inside).toMatchObject({ exitCode: 2 });
    expect(inside.stderr).toContain('must not be loaded');
    const below = await runIn(join(project.path, 'packages/other'), ['owner', 'deploy'], env);
    expect(below).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
    expect(below.stderr).toContain('· REDIS_URL\n');
  });
});

describe('what a provider keeps to itself', () => {
  const prefixed = ['--backend', fixture('redis-prefix/pubsub.ts')];

  test('is read off it: the right prefix is listed, with what is left', async () => {
    const fixed = await startFixture('redis-prefix/pubsub.ts');
    await fixed.acquireLease(THREAD, 'run-1', 60_000);
    await site.hold('stranger', 'someone');
    const result = await runIn('/', ['list', '--json', ...prefixed]);
    expect(result.exitCode).toBe(0);
    expect(result.json()).toMatchObject([
      { key: 'user-42\\0abc', owner: 'run-1', remainingMs: expect.any(Number) },
      { total: 1, complete: true, source: { keyPrefix: 'mastra:my-app', server: `${site.name}/0` } },
    ]);
  });

  test('also behind a cache, whose getLeaseProvider() decides', async () => {
    const fixed = await startFixture('caching/pubsub.ts');
    await fixed.acquireLease(THREAD, 'run-1', 60_000);
    const result = await runIn('/', ['owner', 'thread:abc', '--backend', fixture('caching/pubsub.ts')]);
    expect(result).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
    expect(result.stderr).toContain('RedisStreamsPubSub · mastra:topic');
  });

  test('is left alone with --no-introspect: owners are told, and listing says what to configure', async () => {
    const fixed = await startFixture('redis-prefix/pubsub.ts');
    await fixed.acquireLease(THREAD, 'run-1', 60_000);
    const args = [...prefixed, '--no-introspect'];
    const [owner, list, thread, write] = await Promise.all([
      runIn('/', ['owner', 'user-42\\0abc', '--json', ...args]),
      runIn('/', ['list', ...args]),
      runIn('/', ['owner', 'thread:abc', ...args]),
      runIn('/', ['release', 'thread:abc', '--owner', 'run-1', ...args]),
    ]);
    expect(owner.json()).toMatchObject([{ status: 'held', owner: 'run-1' }]);
    expect(owner.json()[0]).not.toHaveProperty('remainingMs');
    for (const { exitCode, stdout, stderr } of [list, thread, write]) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
      expect(stderr).toMatch(/cannot be listed.*`inspect` in the config, or by REDIS_URL/);
    }
    expect(await fixed.getLeaseOwner(THREAD)).toBe('run-1');
  });

  test('that lies is refused as soon as there is a lease, and never means "0 leases"', async () => {
    const lying = ['--backend', fixture('redis-lying/pubsub.ts')];
    const fixed = await startFixture('redis-lying/pubsub.ts');
    await fixed.acquireLease(THREAD, 'run-1', 60_000);
    const hidden = await runIn('/', ['list', ...lying]);
    await site.client.set(recordOf('deploy', 'x:y'), 'someone', 'PX', 60_000);
    const [shown, owner, json] = await Promise.all([
      runIn('/', ['list', ...lying]),
      runIn('/', ['owner', 'user-42\\0abc', ...lying]),
      runIn('/', ['list', '--json', ...lying]),
    ]);
    expect(hidden).toMatchObject({ exitCode: 9, stdout: '' });
    expect(hidden.stderr).toContain(
      `nothing under x:y in ${site.name}/0, which could not be checked against the application`,
    );
    expect(shown).toMatchObject({ exitCode: 9, stdout: '' });
    expect(shown.stderr).toMatch(
      /the application knows no such lease: it uses another key prefix, database or server/,
    );
    for (const { stderr } of [hidden, shown]) expect(stderr).not.toMatch(/0 leases/);
    expect(json.json()).toMatchObject([
      { complete: false, exitCode: 9, error: { code: 'ERR_LEASE_UNVERIFIED' } },
    ]);
    expect(owner).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
  });
});

describe('a listing that nobody vouches for', () => {
  const args = ['--backend', fixture('redis-streams/pubsub.ts'), '--no-introspect'];

  test('says nothing of an empty place, until the application is seen to agree', async () => {
    const env = { REDIS_URL: site.name };
    const empty = await runIn('/', ['list', ...args], env);
    expect(empty).toMatchObject({ exitCode: 9, stdout: '' });
    expect(empty.stderr).toContain(
      `nothing under mastra:topic in ${site.name}/0, which could not be checked against the application`,
    );
    await site.hold(THREAD, 'run-1');
    const held = await runIn('/', ['list', ...args], env);
    expect(held).toMatchObject({ exitCode: 0 });
    expect(held.stdout).toContain('run-1');
  });

  test('is proved by one scratch lease with --probe, which is gone afterwards', async () => {
    const result = await runIn('/', ['list', '--probe', ...args], { REDIS_URL: site.name });
    expect(result).toMatchObject({ exitCode: 0, stdout: '' });
    expect(result.stderr).toContain('0 leases');
    expect(await site.heldKeys()).toEqual([]);
  });

  test('is refused by --probe where it looks elsewhere', async () => {
    const elsewhere = `${site.name}/7`;
    const result = await runIn('/', ['list', '--probe', ...args], { REDIS_URL: elsewhere });
    expect(result).toMatchObject({ exitCode: 9, stdout: '' });
    expect(result.stderr).toContain(
      `a lease that the application took is not under mastra:topic in ${elsewhere}`,
    );
    expect(await site.heldKeys()).toEqual([]);
  });

  test('by a prefix that the user gave has to be proved, where the provider has another', async () => {
    const flags = ['--backend', fixture('redis-prefix/pubsub.ts'), '--key-prefix', 'other'];
    const result = await runIn('/', ['list', ...flags]);
    expect(result).toMatchObject({ exitCode: 9, stdout: '' });
    expect(result.stderr).toContain('nothing under other in');
  });
});
