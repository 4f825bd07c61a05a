import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import type { CliResult } from '../support/run-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { makePackage } from './application-folder.js';
import { fixture } from './application-process.js';
import { lease } from './lease-cli.js';

// Importing all of Mastra takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let redis: RedisServer;
/** One for all: what is compiled once is found again. */
let home: TempDir;

beforeAll(async () => {
  [redis, home] = await Promise.all([startRedis(), makeTempDir()]);
});
afterAll(() => Promise.all([redis, home].map((one) => one[Symbol.asyncDispose]())));

function run(...args: readonly string[]): Promise<CliResult> {
  return lease(args, { timeoutMs: 40_000, env: { HOME: home.path, FIXTURE_REDIS_URL: redis.url } });
}

/** A verb and `check` on one module, at once. */
async function look(path: string): Promise<{ readonly owner: CliResult; readonly check: CliResult }> {
  const backend = path.startsWith('/') ? path : fixture(path);
  const [owner, check] = await Promise.all([
    run('owner', 'k', '--backend', backend),
    run('check', '--json', '--backend', backend),
  ]);
  return { owner, check };
}

describe('a module that does not load ends every command with 2 and one line that says why', () => {
  test.each<[string, RegExp | string]>([
    ['throws/pubsub.ts', 'FIXTURE_URL_THAT_NOBODY_SETS is required (at settings.ts:7)'],
    ['throws/plain.mjs', 'evaluation 1 failed at redis://…@cache:6379 (at evaluated-once.mjs:2)'],
    ['syntax-error/pubsub.ts', /syntax-error\/leases\.ts:4:1: a syntax error/],
    ['missing-import/pubsub.ts', 'by way of pubsub.ts → leases/index.ts → leases/store.ts'],
    ['missing-alias/pubsub.ts', /imports "~\/leases\/store\.js".*missing-alias\/tsconfig\.json sends it to/],
    [
      'standard-decorators/pubsub.ts',
      /standard-decorators\/pubsub\.ts:\d+: standard decorators cannot be loaded/,
    ],
    ['class/failing.ts', 'new Leases() failed: RangeError: LEASE_REGION is not set (at failing.ts:6)'],
    ['several/leases.ts', 'several exports that can be the backend: alsoPrimary, secondary'],
    ['nothing/settings.ts', 'exports nothing that can be a backend; it exports connectTo (a function)'],
    ['several/leases.ts#none', 'has no export none; it exports '],
    ['several/leases.ts#REGION', 'REGION is a string, which is no backend'],
    ['several', /Expected a module, got the folder .*several/],
    ['several/none.ts', /There is no module .*none\.ts/],
  ])('%s', async (path, reason) => {
    const { owner, check } = await look(path);
    expect(owner).toMatchObject({ exitCode: 2, stdout: '' });
    expect(owner.stderr).toMatch(/^error [^\n]+\n$/);
    expect(owner.stderr).toMatch(reason);
    expect(owner.stderr).not.toMatch(/hunter2|node_modules|\/dist\/|^ {4}at /m);
    expect(check.exitCode).toBe(2);
    expect(check.json()).toMatchObject([
      { verb: 'check', exitCode: 2, error: { code: 'ERR_LEASE_INVALID_CONFIG' } },
    ]);
  });
});

describe('a backend that cannot lease for others ends every command with 9 and says why', () => {
  const ALL =
    /it lacks all five methods \(acquireLease, getLeaseOwner, releaseLease, renewLease, transferLease\)/;

  async function expectNoLeasing(path: string, reason: RegExp): Promise<CliResult> {
    const [{ owner, check }, list] = await Promise.all([
      look(path),
      run('list', '--json', '--backend', path.startsWith('/') ? path : fixture(path)),
    ]);
    expect(owner).toMatchObject({ exitCode: 9, stdout: '' });
    expect(owner.stderr).toMatch(reason);
    expect(check.exitCode).toBe(9);
    expect(check.json()).toMatchObject([{ exitCode: 9, error: { message: expect.stringMatching(reason) } }]);
    expect(list.exitCode).toBe(9);
    expect(list.json()).toMatchObject([{ exitCode: 9, error: { code: 'ERR_LEASE_UNSUPPORTED' } }]);
    expect(`${list.stdout}${list.stderr}`).not.toMatch(/"total"|0 leases/);
    return check;
  }

  test('without leasing', async () => {
    await expectNoLeasing('no-leasing/pubsub.ts', ALL);
  });

  test('with four of the five methods', async () => {
    const check = await expectNoLeasing('four-methods/leases.ts', /it lacks transferLease of LeaseProvider/);
    expect(check.json()).toMatchObject([
      { provider: { methods: { acquireLease: true, renewLease: true, transferLease: false } } },
    ]);
  });

  test.each(['event-emitter/pubsub.ts', 'second-copy/pubsub.js'])('in memory: %s', async (path) => {
    const check = await expectNoLeasing(
      path,
      /The leases of EventEmitterPubSub live inside the application's process/,
    );
    expect(check.json()).toMatchObject([
      { provider: { class: 'EventEmitterPubSub', confinement: 'process' } },
    ]);
  });

  test('a Mastra that was given no pubsub', async () => {
    await using project = await makePackage({
      'src/mastra/index.ts': `import { Mastra } from '@mastra/core';\nexport const mastra = new Mastra({ logger: false });`,
    });
    const core = fileURLToPath(new URL('../../node_modules/@mastra/core', import.meta.url));
    const link = join(project.path, 'node_modules/@mastra/core');
    await mkdir(dirname(link), { recursive: true });
    await symlink(core, link);
    const [owner, check] = await Promise.all(
      [['owner', 'thread:abc'], ['check']].map((args) =>
        lease(args, { cwd: project.path, timeoutMs: 40_000, env: { HOME: home.path } }),
      ),
    );
    expect(owner).toMatchObject({ exitCode: 9, stdout: '' });
    expect(check).toMatchObject({ exitCode: 9 });
    expect(check?.stdout).toMatch(/^module +\S+index\.ts → export mastra → \.pubsub$/m);
    expect(check?.stdout).toMatch(/^failed +The leases of EventEmitterPubSub live inside/m);
  });
});

describe('with --allow-noop a backend without leases does as the runtime does', () => {
  const noop = ['--allow-noop', '--backend', fixture('no-leasing/pubsub.ts')];

  test('every caller wins, and each command says so', async () => {
    const results = await Promise.all([
      run('acquire', 'deploy', '--owner', 'job-1', ...noop),
      run('acquire', 'deploy', '--owner', 'job-2', ...noop),
      run('renew', 'deploy', '--owner', 'job-3', ...noop),
      run('transfer', 'deploy', '--from', 'job-4', '--to', 'job-5', ...noop),
      run('release', 'deploy', '--owner', 'job-6', ...noop),
    ]);
    const said = results.map(({ stdout, exitCode }) => [stdout.trim(), exitCode]);
    expect(said).toEqual([
      ['job-1', 0],
      ['job-2', 0],
      ['renewed', 0],
      ['transferred', 0],
      ['released', 0],
    ]);
    for (const { stderr } of results) {
      expect(stderr).toMatch(/^no leasing: .*every caller wins and nobody is ever the owner$/m);
      expect(stderr).toMatch(/· NO LEASING: every caller wins ·/);
    }
  });

  test('nobody is an owner, and there is still nothing to list', async () => {
    const [owner, list, json] = await Promise.all([
      run('owner', 'deploy', ...noop),
      run('list', ...noop),
      run('acquire', 'deploy', '--json', ...noop),
    ]);
    expect(owner).toMatchObject({ exitCode: 4, stdout: '' });
    expect(list).toMatchObject({ exitCode: 9, stdout: '' });
    expect(json.json()).toMatchObject([{ status: 'acquired', source: { isNoop: true } }]);
  });
});

describe('a module that can be used is used, whatever else it does', () => {
  test.each([
    ['class/leases.ts', ['export Leases', 'a new instance']],
    ['factory/leases.ts#makeLeasesLater', ['export makeLeasesLater', 'its result']],
    ['aliases/src/mastra/index.ts', ['export pubsub']],
    ['commonjs/pubsub.js', ['export default']],
    ['typescript/pubsub.ts', ['export pubsub']],
  ])('%s', async (path, unwrapping) => {
    const { owner, check } = await look(path);
    expect(owner).toMatchObject({ exitCode: 4, stdout: '' });
    expect(check.exitCode).toBe(0);
    expect(check.json()).toMatchObject([
      { exitCode: 0, provider: { unwrapping, methods: { transferLease: true } }, answers: { asked: 20 } },
    ]);
  });

  test.each([
    ['redis-streams/pubsub.ts', 'mastra:topic', ['export pubsub']],
    ['redis-prefix/pubsub.ts', 'mastra:my-app', ['export pubsub']],
    ['caching/pubsub.ts', 'mastra:topic', ['export pubsub', 'getLeaseProvider()']],
  ])('%s leases in Redis, and check says where', async (path, keyPrefix, unwrapping) => {
    const { owner, check } = await look(path);
    expect(owner).toMatchObject({ exitCode: 4, stdout: '' });
    expect(check.exitCode).toBe(0);
    expect(check.json()).toMatchObject([
      {
        source: { server: `${redis.url}/0`, keyPrefix, role: 'primary' },
        provider: { class: 'RedisStreamsPubSub', unwrapping },
        inspector: { how: 'introspection', isTrusted: true },
        listing: { state: 'nothing to compare' },
      },
    ]);
  });

  test('what it prints is talk: stdout is the answer alone', async () => {
    const { owner, check } = await look('prints/pubsub.ts');
    expect(owner).toMatchObject({ exitCode: 4, stdout: '' });
    expect(check.json()).toMatchObject([{ schema: 'mastra-lease/check@1', exitCode: 0 }]);
    for (const { stderr } of [owner, check]) {
      for (const way of ['console.log', 'console.info', 'stdout', 'console.error']) {
        expect(stderr).toContain(`fixture: a line by ${way}\n`);
      }
    }
  });

  test('what it leaves open does not keep the command alive', async () => {
    const { owner, check } = await look('leaves-open/pubsub.ts');
    expect([owner.exitCode, check.exitCode]).toEqual([4, 0]);
  });

  test('what fails in it by itself is told as its own, and changes no exit code', async () => {
    const { owner, check } = await look('unhandled-rejection/pubsub.ts');
    expect([owner.exitCode, check.exitCode]).toEqual([4, 0]);
    for (const { stderr } of [owner, check]) {
      expect(stderr).toMatch(
        /^the application failed by itself, outside of any call: the cache could not be warmed up$/m,
      );
      expect(stderr).not.toMatch(/bug|^ {4}at /m);
    }
  });

  test('that it wants to end the process is no answer', async () => {
    await using folder = await makePackage({ 'pubsub.mjs': 'process.exit(0);' });
    const { owner, check } = await look(join(folder.path, 'pubsub.mjs'));
    expect(owner).toMatchObject({ exitCode: 2, stdout: '' });
    expect(owner.stderr).toMatch(/does not load: .*end the process.*\(at pubsub\.mjs:1\)/);
    expect(check.exitCode).toBe(2);
  });
});
