import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePackage } from '../cli/application-folder.js';
import { fixture } from '../cli/application-process.js';
import { lease, startLease } from '../cli/lease-cli.js';
import { startRedis } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const TIMEOUT_MS = 40_000;

/** Leases in the memory of a process, by transfers that release and then acquire, and are said to be atomic. */
const WRONG = `
export class Leases {
  leaseTraits = { atomicTransfer: true, scope: 'process' };
  held = new Map();
  find(key) {
    const lease = this.held.get(key);
    return lease && lease.endsAt > performance.now() ? lease : undefined;
  }
  async acquireLease(key, owner, ttlMs) {
    const lease = this.find(key);
    if (lease && lease.owner !== owner) return { acquired: false, owner: lease.owner };
    this.held.set(key, { owner, endsAt: performance.now() + ttlMs });
    return { acquired: true, owner };
  }
  async getLeaseOwner(key) {
    return this.find(key)?.owner;
  }
  async releaseLease(key, owner) {
    if (this.find(key)?.owner === owner) this.held.delete(key);
  }
  async renewLease(key, owner, ttlMs) {
    const lease = this.find(key);
    if (lease?.owner !== owner) return false;
    lease.endsAt = performance.now() + ttlMs;
    return true;
  }
  async transferLease(key, from, to, ttlMs) {
    if ((await this.getLeaseOwner(key)) !== from) return false;
    await this.releaseLease(key, from);
    return (await this.acquireLease(key, to, ttlMs)).acquired;
  }
}
`;

async function keep<Thing extends { stop(): Promise<void> } | TempDir>(
  starting: Promise<Thing>,
): Promise<Thing> {
  const thing = await starting;
  onTestFinished(() => ('stop' in thing ? thing.stop() : thing.remove()));
  return thing;
}

describe.concurrent('conformance', () => {
  it(
    'proves a backend, leaves what others hold alone and nothing of its own behind, and writes JUnit XML',
    async ({ onTestFinished: finish }) => {
      const server = await startRedis();
      finish(() => server.stop());
      const directory = await makeTempDir();
      finish(() => directory.remove());
      const client = await server.client();
      await client.set('mastra:topic:lease:other', 'somebody');
      const junit = join(directory.path, 'report.xml');
      const { exitCode, stdout, stderr } = await lease(
        [
          'conformance',
          '--backend',
          server.url,
          '--junit',
          junit,
          '--require',
          'atomic-transfer,atomic-refusal,safe-ttl,after-close',
          '--seed',
          '5',
        ],
        { timeoutMs: TIMEOUT_MS },
      );
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: `${server.url}/0 · mastra:topic · --backend\n`,
      });
      const lines = stdout.split('\n');
      expect(lines[0]).toMatch(/^CLAUSE +RESULT +TIME +NOTE$/);
      expect(
        lines.filter((line) => / (passed|failed|reported|skipped|not shown) /.test(line)).length,
      ).toBeGreaterThan(40);
      expect(stdout).toMatch(
        /^conforms: \d+ passed · scope network \(declared\), 2 more processes · seed 5 · [\d.]+ s$/m,
      );
      expect(await client.keys('*')).toEqual(['mastra:topic:lease:other']);
      expect(await client.get('mastra:topic:lease:other')).toBe('somebody');
      const xml = await readFile(junit, 'utf8');
      expect(xml).toMatch(
        /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="mastra-lease conformance" tests="48" failures="0" errors="0" skipped="0"/,
      );
      expect(xml.match(/<testcase /g)).toHaveLength(48);
    },
    TIMEOUT_MS,
  );

  it(
    'ends with 11 for a backend that breaks the contract, and shows the interleaving',
    async ({ onTestFinished: finish }) => {
      const folder = await makePackage({ 'leases.js': WRONG });
      finish(() => folder.remove());
      const junit = join(folder.path, 'report.xml');
      const backend = `${join(folder.path, 'leases.js')}#Leases`;
      const { exitCode, stdout } = await lease(
        ['conformance', '--backend', backend, '--level', 'concurrency', '--junit', junit],
        { timeoutMs: TIMEOUT_MS },
      );
      expect(exitCode).toBe(11);
      expect(stdout).toMatch(/^atomic-transfer +failed +\d+ ms {2}not atomic \(declared: yes\): /m);
      expect(stdout).toMatch(/^does not conform: 1 failed, \d+ passed/m);
      expect(stdout).toMatch(
        /holder at instance 1 +\[=+\] +transferLease\("~:atomic-transfer:1", "even", "odd", 60000\) → (false|true)/,
      );
      expect(stdout).toMatch(/\[=+\] +(acquireLease|getLeaseOwner)\(.*→ (\{ acquired: true|undefined)/);
      const xml = await readFile(junit, 'utf8');
      expect(xml).toContain('failures="1"');
      expect(xml).toMatch(/<failure message="not atomic [^"]*" type="contract">/);
    },
    TIMEOUT_MS,
  );

  it(
    'tests the bare provider of a module, in two more processes too, and reports what upstream leaves open',
    async ({ onTestFinished: finish }) => {
      const server = await startRedis();
      finish(() => server.stop());
      const { exitCode, json } = await lease(
        ['conformance', '--backend', fixture('redis-streams/pubsub.ts'), '--json', '--runs', '3'],
        { env: { FIXTURE_REDIS_URL: server.url }, timeoutMs: TIMEOUT_MS },
      );
      const [report] = json();
      expect(exitCode).toBe(0);
      expect(report).toMatchObject({
        schema: 'mastra-lease/conformance@1',
        conforms: true,
        exitCode: 0,
        processes: 2,
        scope: { value: 'network', by: 'assumed' },
        atomicTransfer: { declared: 'unstated', measured: 'atomic' },
        source: { provider: 'RedisStreamsPubSub', foundBy: '--backend' },
      });
      const clauses: unknown[] = Array.isArray(report?.clauses) ? report.clauses : [];
      expect(clauses).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            id: 'safe-ttl',
            result: 'reported',
            note: 'renewLease with 0 deletes the lease of the caller',
          }),
          expect.objectContaining({
            id: 'after-close',
            result: 'reported',
            note: 'the owner reads as if the key were free',
          }),
          expect.objectContaining({
            id: 'atomic-refusal',
            result: 'reported',
            note: expect.stringContaining('refusals are made in several steps'),
          }),
          expect.objectContaining({ id: 'linearizable', result: 'passed' }),
          expect.objectContaining({
            id: 'two-instances',
            result: 'passed',
            note: 'instance 1 and process 1',
          }),
        ]),
      );
      expect(await (await server.client()).keys('*lease-conformance*standing*')).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'an interrupted run releases what it holds and ends as interrupted',
    async ({ onTestFinished: finish }) => {
      const server = await startRedis();
      finish(() => server.stop());
      const running = await startLease(['conformance', '--backend', server.url]);
      finish(() => running[Symbol.asyncDispose]());
      await running.waitForOutput('stdout', /^result-shapes +passed/m);
      running.child.kill('SIGINT');
      const [exitCode] = await once(running.child, 'close');
      expect(exitCode).toBe(130);
      expect(await (await server.client()).keys('*')).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('takes process-local leases as what they are', async () => {
    const memory = await lease(['conformance', '--backend', 'memory:', '--level', 'structural']);
    expect(memory).toMatchObject({ exitCode: 0, stderr: 'memory: · --backend\n' });
    const emitter = await lease([
      'conformance',
      '--backend',
      fixture('event-emitter/pubsub.ts'),
      '--level',
      'structural',
    ]);
    expect(emitter.exitCode).toBe(0);
    expect(emitter.stdout).toMatch(/^conforms: 3 passed · scope process \(known class\)/m);
  });
});

describe('conformance writes only where it was told to', () => {
  it('and not to a backend that was merely found', async () => {
    const server = await keep(startRedis());
    const folder = await keep(makePackage({ 'mastra-lease.config.json': { backend: server.url } }));
    for (const options of [{ env: { REDIS_URL: server.url } }, { cwd: folder.path }]) {
      const { exitCode, stdout, stderr } = await lease(['conformance'], options);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(
        'Expected --backend, --context or their variables: conformance writes scratch leases',
      );
    }
    expect(await (await server.client()).dbsize()).toBe(0);
  });

  it('and not to a context that is read-only', async () => {
    const server = await keep(startRedis());
    const folder = await keep(
      makePackage({
        'mastra-lease.config.json': { contexts: { prod: { backend: server.url, readOnly: true } } },
      }),
    );
    const { exitCode, stderr } = await lease(['conformance', '--context', 'prod'], { cwd: folder.path });
    expect(exitCode).toBe(10);
    expect(stderr).toContain('Nothing was sent: the context prod is readOnly');
    expect(await (await server.client()).dbsize()).toBe(0);
  });
});

describe('conformance of what cannot be tested', () => {
  it('ends as everywhere: 7 for a backend that is away, told in JUnit XML as an error', async () => {
    const directory = await keep(makeTempDir());
    const junit = join(directory.path, 'report.xml');
    const { exitCode, json } = await lease([
      'conformance',
      '--backend',
      'redis://127.0.0.1:1',
      '--json',
      '--junit',
      junit,
    ]);
    expect(exitCode).toBe(7);
    expect(json()).toMatchObject([
      { verb: 'conformance', exitCode: 7, error: { code: 'ERR_LEASE_UNREACHABLE' } },
    ]);
    expect(await readFile(junit, 'utf8')).toMatch(/errors="1"[\s\S]*<error message="/);
  });

  it(
    '9 for a backend without leases, 11 for the fallback that always says yes, or for a method that is missing',
    async () => {
      const none = await lease(['conformance', '--backend', fixture('no-leasing/pubsub.ts')]);
      expect(none).toMatchObject({ exitCode: 9, stdout: '' });
      expect(none.stderr).toContain('lacks all five methods of LeaseProvider');
      const noop = await lease([
        'conformance',
        '--backend',
        fixture('no-leasing/pubsub.ts'),
        '--allow-noop',
        '--level',
        'contract',
      ]);
      expect(noop.exitCode).toBe(11);
      const four = await lease([
        'conformance',
        '--backend',
        fixture('four-methods/leases.ts'),
        '--level',
        'structural',
      ]);
      expect(four.exitCode).toBe(11);
      expect(four.stdout).toMatch(/^methods +failed +\d+ ms {2}expected the methods \w+$/m);
    },
    TIMEOUT_MS,
  );

  it('7 or 8 for a backend that is lost in the middle, and no verdict', async ({
    onTestFinished: finish,
  }) => {
    const server = await startRedis();
    finish(() => server.stop());
    const running = await startLease(['conformance', '--backend', server.url]);
    finish(() => running[Symbol.asyncDispose]());
    await running.waitForOutput('stdout', /^methods +passed/m);
    await server.stop();
    const { exitCode, stdout, stderr } = await running.done;
    expect([7, 8]).toContain(exitCode);
    expect(stdout).not.toMatch(/conform|failed/);
    expect(stderr).toMatch(exitCode === 8 ? /no answer came/ : /cannot be reached|connection/i);
  });

  it('8 for a write that was sent and not answered', async ({ onTestFinished: finish }) => {
    const server = await startRedis();
    finish(() => server.stop());
    const proxy = await startTcpProxy(server);
    finish(() => proxy.stop());
    const lost = proxy.dropNextReply({ command: 'EVALSHA' });
    const { exitCode, stdout, stderr } = await lease(['conformance', '--backend', proxy.url]);
    await lost;
    expect({ exitCode, stdout }).toEqual({ exitCode: 8, stdout: expect.not.stringMatching(/conform/) });
    expect(stderr).toContain('no answer came');
  });

  it('10 where the server does not let us in, or not write', async ({ onTestFinished: finish }) => {
    const server = await startRedis({
      password: 'hunter2',
      aclUsers: { reader: 'on >secret ~* +get +pttl +select' },
    });
    finish(() => server.stop());
    const plain = server.url.replace(/:[^:@]*@/, '');
    const stranger = await lease(['conformance', '--backend', plain]);
    const reader = await lease(['conformance', '--backend', plain.replace('//', '//reader:secret@')]);
    for (const { exitCode, stdout, stderr } of [stranger, reader]) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: expect.not.stringMatching(/conform/) });
      expect(stderr).not.toMatch(/hunter2|secret/);
    }
  });

  it('2 where the disk is full when the report is to be written, which is printed all the same', async () => {
    const run = (...args: readonly string[]) =>
      lease(['conformance', '--level', 'structural', '--junit', '/dev/full', ...args]);
    const problem = 'The report /dev/full ends early: ENOSPC\n';
    const text = await run('--backend', 'memory:');
    expect(text).toMatchObject({ exitCode: 2, stderr: `memory: · --backend\nerror ${problem}` });
    expect(text.stdout).toMatch(/^conforms: \d+ passed/m);
    const json = await run('--backend', 'memory:', '--json');
    expect(json).toMatchObject({ exitCode: 2, stderr: `error ${problem}` });
    expect(json.json()).toMatchObject([{ conforms: true, exitCode: 2 }]);
    // What was in the way of the testing decides.
    const away = await run('--backend', 'redis://127.0.0.1:1');
    expect(away.exitCode).toBe(7);
    expect(away.stderr).toContain(problem);
    expect(away.stderr).toMatch(/^error read: no answer from .*\n$/m);
  });

  it('7 when the time for all of it is over', async () => {
    const { exitCode, stderr } = await lease(['conformance', '--backend', 'memory:', '--timeout', '700ms']);
    expect(exitCode).toBe(7);
    expect(stderr).toContain('The backend was not tested within 700ms');
  });

  it.each([
    [
      ['--level', 'deep'],
      'Expected --level as one of structural, contract, concurrency, linearizable, all, got "deep"',
    ],
    [
      ['--require', 'speed'],
      'Expected --require as one of atomic-transfer, atomic-refusal, safe-ttl, after-close, got "speed"',
    ],
    [['--runs', '0'], 'Expected --runs as a whole number from 1 to 100000, got "0"'],
    [['--clients', '99'], 'Expected --clients as a whole number from 1 to 16, got "99"'],
    [['--seed', 'x'], 'Expected --seed as a whole number from 0 to 2147483647, got "x"'],
    [
      ['--junit', '/nowhere/report.xml'],
      'Expected a file that can be written after --junit, got /nowhere/report.xml (ENOENT)',
    ],
    [['--junit', '/dev'], 'Expected a file that can be written after --junit, got /dev (EISDIR)'],
  ])('2 for %j', async (args, message) => {
    const { exitCode, stderr } = await lease(['conformance', '--backend', 'memory:', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
