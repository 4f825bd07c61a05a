import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { startTerminal } from '../support/terminal.js';
import { makePackage } from './application-folder.js';
import { fixture } from './application-process.js';
import { lease, startLease } from './lease-cli.js';
import { type LeaseSite, openRedisSite, openSqliteSite, type RedisSite, recordOf } from './lease-site.js';
import { startWatch } from './watch-run.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));
const THREAD = 'user-42\0t-1';

let redis: RedisSite;
let sqlite: LeaseSite;

beforeAll(async () => {
  [redis, sqlite] = await Promise.all([openRedisSite(), openSqliteSite()]);
});
beforeEach(() => Promise.all([redis.clear(), sqlite.clear()]));
afterAll(() => Promise.all([redis, sqlite].map((site) => site[Symbol.asyncDispose]())));

const run = (site: LeaseSite, ...args: readonly string[]) => lease(args, { backend: site.name });

describe.each([
  ['Redis', () => redis],
  ['SQLite', () => sqlite],
] as const)('on %s', (_, siteOf) => {
  test('tells the state, then everything that happens, each by its name', async () => {
    const site = siteOf();
    await site.hold('held', 'run-h', 60_000);
    await using watch = await startWatch([], { backend: site.name });
    await run(site, 'acquire', 'user-42\\0t-1', '--owner', 'run-a', '--ttl', '6s');
    const acquired = await watch.next({ type: 'acquired' });
    await run(site, 'renew', 'user-42\\0t-1', '--owner', 'run-a', '--ttl', '9s');
    await watch.next({ type: 'renewed' });
    await run(site, 'transfer', 'user-42\\0t-1', '--from', 'run-a', '--to', 'run-b', '--ttl', '2s');
    const transferred = await watch.next({ type: 'transferred' });
    await watch.next({ type: 'late' });
    const expired = await watch.next({ type: 'expired' });
    await run(site, 'release', 'held', '--owner', 'run-h');
    const released = await watch.next({ type: 'released' });
    const { exitCode, stderr } = await watch.stop();
    expect(exitCode).toBe(130);
    expect(stderr).toBe('error Interrupted by SIGINT\n');

    const [snapshot] = watch.events;
    expect(snapshot).toMatchObject({
      schema: 'mastra-lease/event@1',
      type: 'snapshot',
      part: 1,
      parts: 1,
      total: 1,
      leases: [{ key: 'held', kind: 'other', owner: 'run-h', health: 'ok', inferred: ['expiresAt'] }],
      source: { foundBy: 'MASTRA_LEASE_BACKEND' },
    });
    const thread = { key: 'user-42\\0t-1', kind: 'thread', resource: 'user-42', thread: 't-1' };
    expect(acquired).toMatchObject({ ...thread, owner: 'run-a', inferred: ['expiresAt'] });
    expect(transferred).toMatchObject({ ...thread, owner: 'run-b', previousOwner: 'run-a' });
    expect(expired).toMatchObject({ ...thread, owner: 'run-b', inferred: ['type'] });
    expect(expired).not.toHaveProperty('remainingMs');
    expect(released).toMatchObject({ key: 'held', owner: 'run-h', inferred: ['type'] });
    const instants = watch.events.flatMap(({ at }) => (at === undefined ? [] : [String(at)]));
    expect(instants.every((at) => /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(at))).toBe(true);
    expect(watch.events.at(-1)).toMatchObject({
      schema: 'mastra-lease/error@1',
      verb: 'watch',
      exitCode: 130,
    });
  });

  test('is lines for a person without --json', async () => {
    const site = siteOf();
    await site.hold('user-3\0welcome', 'run-w', 60_000);
    await using running = await startLease(['watch', '--for', '20s'], { backend: site.name });
    await running.waitForOutput('stdout', /backend-up/);
    await site.hold(THREAD, 'run-a', 60_000);
    await running.waitForOutput('stdout', /acquired/);
    await run(
      site,
      'transfer',
      '--resource',
      'user-42',
      '--thread',
      't-1',
      '--from',
      'run-a',
      '--to',
      'run-b',
    );
    await running.waitForOutput('stdout', /transferred.*\n/);
    running.child.kill('SIGTERM');
    const { exitCode, stdout, stderr } = await running.done;
    expect(exitCode).toBe(143);
    const lines = stdout.split('\n');
    const shapes = lines.map((line) =>
      line.replace(/^\d\d:\d\d:\d\d\.\d{3}/, 'TIME').replace(/\d+\.\d s|1 min/, 'LEFT'),
    );
    expect(shapes.filter((line) => !line.includes('backend-up'))).toEqual([
      'TIME  snapshot      1 lease',
      expect.stringMatching(/^TIME {2}held {10}user-3 \/ welcome {2}run-w {2}LEFT$/),
      expect.stringMatching(/^TIME {2}acquired {6}user-42 \/ t-1 {2}run-a {2}LEFT$/),
      expect.stringMatching(
        /^TIME {2}transferred {3}user-42 \/ t-1 {2}run-a → run-b {2}LEFT( {2}\(inferred\))?$/,
      ),
      '',
    ]);
    expect(stderr).toBe(`${site.source} · MASTRA_LEASE_BACKEND\nerror Interrupted by SIGTERM\n`);
  });

  test('keeps to one line what an id holds', async () => {
    const site = siteOf();
    const hostile = 'a\n\u001b[2J\u202e"\\\0t';
    await site.hold(hostile, 'run\r\n1', 60_000);
    await using running = await startLease(['watch'], { backend: site.name });
    await running.waitForOutput('stdout', /backend-up/);
    const { stdout } = running.output;
    expect(stdout).toContain('a\\x0a\\x1b[2J\\u{202e}"\\\\ / t  run\\x0d\\x0a1  ');
    expect([...stdout].filter((character) => character < ' ' && character !== '\n')).toEqual([]);
    await using watch = await startWatch([], { backend: site.name });
    expect(watch.events[0]).toMatchObject({
      leases: [{ key: 'a\\x0a\\x1b[2J\\u{202e}"\\\\\\0t', owner: 'run\\x0d\\x0a1' }],
    });
  });
});

test('a lease that loses its expiry, without any change of hands, is told', async () => {
  await redis.hold('stuck', 'run-s');
  await using watch = await startWatch([], { backend: redis.name });
  await redis.client.persist(recordOf('stuck'));
  expect(await watch.next({ type: 'no-expiry' })).toMatchObject({
    key: 'stuck',
    owner: 'run-s',
    remainingMs: null,
  });
});

describe('its end', () => {
  test('is 0 after --for', async () => {
    const { exitCode, stdout } = await run(redis, 'watch', '--for', '1s', '--quiet');
    expect({ exitCode, lines: stdout.split('\n').length }).toEqual({ exitCode: 0, lines: 3 });
  });

  test('is 0 after --for in which the backend was lost', async () => {
    await using proxy = await startTcpProxy(redis.server);
    await using watch = await startWatch(['--for', '4s'], { backend: proxy.url });
    proxy.refuseNew();
    proxy.cut();
    await watch.next({ type: 'backend-down' });
    expect(await watch.running.done).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('is 7 after --for in which the backend was never there, with what was waited for, why, and what to do', async () => {
    const backend = `redis://127.0.0.1:${await findFreePort()}`;
    const why = `Nothing was seen of ${backend}/0 within --for 1s: no answer from ${backend}/0 (connection refused)`;
    const remedy = 'is the server running, and is this its address?';
    const text = await lease(['watch', '--for', '1s'], { backend });
    expect(text).toMatchObject({ exitCode: 7, stderr: `error ${why} — ${remedy}\n` });
    const json = await lease(['watch', '--for', '1s', '--json'], { backend });
    expect(json.exitCode).toBe(7);
    expect(json.json().at(-1)).toMatchObject({
      schema: 'mastra-lease/error@1',
      verb: 'watch',
      exitCode: 7,
      error: { code: 'ERR_LEASE_UNREACHABLE', message: why, remedy },
    });
  });

  test.each([[[]], [['deploy']], [['thread:t-1']]])(
    'is 7 after --for that was over before the first look had failed: %j',
    async (words) => {
      await using proxy = await startTcpProxy(redis.server);
      proxy.pause();
      const { stdout, ...result } = await lease(['watch', ...words, '--for', '500ms'], {
        backend: proxy.url,
      });
      expect({ stdout, ...result }).toMatchObject({ exitCode: 7, stdout: '' });
      expect(result.stderr).toBe(
        `error Nothing was seen of ${proxy.url}/0 within --for 500ms: the first look at it was not finished — give it more time, or see what mastra-lease check says\n`,
      );
    },
  );

  test('is 7 on a terminal too', async () => {
    const backend = `redis://127.0.0.1:${await findFreePort()}`;
    await using terminal = await startTerminal(['watch', '--for', '1s', '--backend', backend]);
    expect(await terminal.end()).toBe(7);
    expect(terminal.wholeLines.join('\n')).toContain(
      `error Nothing was seen of ${backend}/0 within --for 1s`,
    );
  });

  test('is 0 when whoever reads it leaves, also while nothing happens after the line that was lost', async () => {
    await using running = await startLease(['watch', '--json'], { backend: redis.name });
    await running.waitForOutput('stdout', /backend-up/);
    running.child.stdout?.destroy();
    await redis.hold('deploy', 'run-1');
    expect(await running.done).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('is by %s with %d', async (signal, exitCode) => {
    await using watch = await startWatch([], { backend: redis.name });
    expect(await watch.stop(signal)).toMatchObject({ exitCode });
  });
});

describe('a backend that is lost', () => {
  test('is an event, and so is its return; what changed meanwhile is told as inferred', async () => {
    await using site = await openRedisSite();
    await site.hold('kept', 'run-k', 600_000);
    await site.hold('lost', 'run-l', 600_000);
    await using watch = await startWatch([], { backend: site.name });
    await site.server.kill();
    const down = await watch.next({ type: 'backend-down' });
    expect(down).toMatchObject({ reason: expect.stringMatching(/./), source: expect.anything() });
    await site.server.restart();
    await site.hold('kept', 'run-k', 600_000);
    await watch.next({ type: 'snapshot' });
    expect(await watch.next({ type: 'released', key: 'lost' })).toMatchObject({ inferred: ['type'] });
    await watch.next({ type: 'backend-up' });
    await site.hold('new', 'run-n');
    await watch.next({ type: 'acquired', key: 'new' });
    expect(await watch.stop()).toMatchObject({ exitCode: 130 });
  });

  test('is waited for from the beginning, too', async () => {
    await using site = await openRedisSite();
    await site.server.kill();
    await using running = await startLease(['watch', '--json'], { backend: site.name });
    await running.waitForOutput('stdout', /"backend-down"/);
    await site.server.restart();
    await running.waitForOutput('stdout', /"snapshot"/, 20_000);
  });

  test('cannot be asked which key is meant: 7', async () => {
    const port = await findFreePort();
    const result = await lease(['watch', 'deploy'], { backend: `redis://127.0.0.1:${port}` });
    expect(result).toMatchObject({ exitCode: 7, stdout: '' });
  });

  test('whose credentials are wrong ends it at once', async () => {
    const { host, port } = redis.server;
    const result = await lease(['watch', '--json'], { backend: `redis://nobody:hunter2@${host}:${port}` });
    expect(result).toMatchObject({ exitCode: 10 });
    expect(result.stdout + result.stderr).not.toContain('hunter2');
  });
});

describe('what is watched', () => {
  beforeEach(async () => {
    await redis.hold(THREAD, 'run-1', 600_000);
    await redis.hold('user-42\0t-2', 'run-2', 600_000);
    await redis.hold('user-9\0t-1', 'run-3', 600_000);
    await redis.hold('deploy', 'job', 600_000);
    await redis.client.set(recordOf('stuck'), 'run-s');
  });

  const owners = async (...args: readonly string[]) => {
    await using watch = await startWatch(args, { backend: redis.name });
    const leases = watch.events[0]?.leases;
    return Array.isArray(leases)
      ? leases
          .map(({ owner }) => owner)
          .sort()
          .join(' ')
      : undefined;
  };

  test.each([
    [[], 'job run-1 run-2 run-3 run-s'],
    [['user-42*'], 'run-1 run-2'],
    [['t-?'], 'run-1 run-2 run-3'],
    [['user-42'], 'run-1 run-2'],
    [['deploy'], 'job'],
    [['deploy', 'user-42\\0t-1', 'nobody'], 'job run-1'],
    [['thread:t-2'], 'run-2'],
    [['--thread', 't-2'], 'run-2'],
    [['--thread', 't-1', '--resource', 'user-9'], 'run-3'],
    [['--literal', 'user-42'], ''],
    [['--kind', 'thread'], 'run-1 run-2 run-3'],
    [['--owner', 'run-2'], 'run-2'],
    [['--health', 'no-expiry'], 'run-s'],
    [['user-42', '--owner', 'run-1'], 'run-1'],
  ])('%j shows %s', async (args, expected) => {
    expect(await owners(...args)).toBe(expected);
  });

  test('a thread id that several have is refused as for every read, with what was meant', async () => {
    const { exitCode, stderr } = await run(redis, 'watch', 'thread:t-1');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/2 held threads have the id t-1/);
    expect(stderr).toContain('mastra-lease watch --resource user-9 --thread t-1');
  });

  test('a thread that nobody holds yet is waited for', async () => {
    await using watch = await startWatch(['thread:later'], { backend: redis.name });
    expect(watch.events[0]).toMatchObject({ leases: [] });
    await redis.hold('user-1\0other', 'run-o');
    await redis.hold('user-1\0later', 'run-l');
    await watch.next({ type: 'acquired', owner: 'run-l' });
    expect(watch.events.some(({ owner }) => owner === 'run-o')).toBe(false);
  });

  test('keys come from list --json too', async () => {
    const { stdout: stdin } = await run(redis, 'list', 'user-42*', '--json');
    await using watch = await startWatch(['-'], { backend: redis.name, stdin });
    expect(watch.events[0]).toMatchObject({ total: 2 });
  });

  test('a lease that left the owner it was shown for is followed', async () => {
    await using watch = await startWatch(['--owner', 'run-2'], { backend: redis.name });
    await run(redis, 'transfer', 'thread:t-2', '--resource', 'user-42', '--from', 'run-2', '--to', 'x');
    await run(
      redis,
      'transfer',
      '--thread',
      't-2',
      '--resource',
      'user-42',
      '--from',
      'run-2',
      '--to',
      'run-9',
    );
    await watch.next({ type: 'transferred', owner: 'run-9' });
    await run(redis, 'release', '--thread', 't-2', '--resource', 'user-42', '--owner', 'run-9');
    await watch.next({ type: 'released', owner: 'run-9' });
  });
});

describe('a provider that keeps the contract alone', () => {
  /** Leases in a file, by the five methods and nothing else. */
  const PROVIDER = `
    import { readFileSync } from 'node:fs';
    const unused = async () => { throw new Error('not used') };
    export const pubsub = {
      acquireLease: unused, releaseLease: unused, renewLease: unused, transferLease: unused,
      getLeaseOwner: async (key) => JSON.parse(readFileSync(process.env.LEASES_FILE, 'utf8'))[key],
    };`;

  test('is polled for the keys that are named, and cannot be watched for patterns', async () => {
    await using folder = await makePackage({ 'pubsub.mjs': PROVIDER, 'leases.json': { deploy: 'job-1' } });
    const file = join(folder.path, 'leases.json');
    const options = { cwd: folder.path, env: { LEASES_FILE: file }, backend: './pubsub.mjs' };
    for (const args of [[], ['deploy*'], ['thread:abc'], ['--kind', 'thread']]) {
      const result = await lease(['watch', ...args], options);
      expect({ args, exitCode: result.exitCode, stdout: result.stdout }).toEqual({
        args,
        exitCode: 9,
        stdout: '',
      });
    }
    await using watch = await startWatch(['deploy'], options);
    expect(watch.events[0]).toMatchObject({ leases: [{ key: 'deploy', owner: 'job-1' }] });
    expect(watch.events[0]).not.toHaveProperty('leases.0.remainingMs');
    expect(watch.events[1]).toMatchObject({ how: 'polling', intervalMs: 2_000 });
    await writeFile(file, '{"deploy":"job-2"}');
    expect(await watch.next({ type: 'transferred' })).toMatchObject({
      previousOwner: 'job-1',
      inferred: ['type'],
    });
    await writeFile(file, '{}');
    await watch.next({ type: 'released' });
  });
});

test("an application's own provider is watched by polling, through what was verified against it", async () => {
  const backend = fixture('redis-streams/pubsub.ts');
  await redis.hold(THREAD, 'run-a', 600_000);
  await using watch = await startWatch([], { backend, env: { FIXTURE_REDIS_URL: redis.name } });
  expect(watch.events).toMatchObject([
    { type: 'snapshot', total: 1, source: { provider: 'RedisStreamsPubSub', role: 'primary' } },
    { type: 'backend-up', how: 'polling', intervalMs: 2_000 },
  ]);
  await redis.hold(THREAD, 'run-b', 600_000);
  expect(await watch.next({ type: 'transferred' })).toMatchObject({
    owner: 'run-b',
    inferred: ['type', 'expiresAt'],
  });
});

describe('bad input', () => {
  test.each([
    [['--speed', '2'], /Expected --replay with --speed/],
    [['--replay', 'f', '--record', 'g'], /Expected --record or --replay/],
    [['--replay', 'f', '--write'], /Expected --write or --replay/],
    [['--replay', 'f', '--speed', '0'], /Expected --speed as a number above 0/],
    [['--replay', 'f', '--speed', '1e3'], /Expected --speed as a number above 0/],
    [['--replay', 'missing.ndjson'], /Expected a recording after --replay, got .*missing.ndjson \(ENOENT\)/],
    [['--for', '5'], /Expected --for with a unit/],
    [['--kind', 'threads'], /Expected --kind as one of/],
    [['--health', 'bad'], /Expected --health as one of/],
    [['deploy', '-'], /Expected - alone/],
    [['deploy', '--thread', 't'], /got both/],
    [['bad\\q'], /The key cannot be read/],
  ])('%j is refused with 2', async (args, message) => {
    const result = await run(redis, 'watch', ...args);
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('memory: has no leases to watch from another process', async () => {
    expect(await lease(['watch', '--backend', 'memory:'])).toMatchObject({ exitCode: 9, stdout: '' });
  });

  test('--write in a context that is readOnly is refused with 10, and without a terminal it only reads', async () => {
    await using folder = await makePackage({
      'mastra-lease.config.json': { contexts: { prod: { backend: redis.name, readOnly: true } } },
    });
    const refused = await lease(['watch', '--write', '--context', 'prod'], { cwd: folder.path });
    expect(refused).toMatchObject({ exitCode: 10, stdout: '' });
    const { exitCode, stderr } = await run(redis, 'watch', '--write', '--for', '1s');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('--write needs a terminal'),
    });
  });
});

test.each([
  ['stdin is no terminal', '</dev/null', {}],
  ['it is asked for JSON', '--json', {}],
  ['the terminal is dumb', '', { TERM: 'dumb' }],
])('on a terminal it is a stream when %s', async (_, how, env) => {
  await redis.hold('deploy', 'job', 600_000);
  const command = `exec ${process.execPath} ${BIN} watch --for 1s --backend ${redis.name} ${how}`;
  await using terminal = await startTerminal([], { command: ['/bin/sh', '-c', command], env, columns: 400 });
  expect(await terminal.end()).toBe(0);
  expect(terminal.lines.join('\n')).toMatch(/snapshot/);
  expect(terminal.lines.join('\n')).toMatch(/deploy/);
});
