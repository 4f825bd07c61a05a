import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type MadeEvent, writeHistory } from '../redis/thread-events.js';
import { type RedisServer, startRedis, startReplicaPair } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir } from '../support/temp-dir.js';
import { makePackage } from './application-folder.js';
import { lease } from './lease-cli.js';
import { type LeaseSite, openRedisSite, openSqliteSite, type RedisSite, recordOf } from './lease-site.js';

const THREAD = 'user-42\0abc';
const NAMED = ['--resource', 'user-42', '--thread', 'abc'];
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const WHOLE_MS = expect.toSatisfy((value: unknown) => Number.isSafeInteger(value));

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

const event = (type: string, runId: string, sourceId?: string): MadeEvent => ({
  type,
  runId,
  ...(sourceId !== undefined && { sourceId }),
  message: 'SECRET TEXT OF A USER',
});

/** A run that registered nine minutes ago and has been quiet for eight, with two messages that wait for it. */
async function makeSilentThread(): Promise<void> {
  await site.hold(THREAD, 'run-7f3c2a10', 12_400);
  await writeHistory(site.client, THREAD, [
    [541_000, event('run-registered', 'run-7f3c2a10', '3f2a91c7')],
    [492_000, event('stream-part', 'run-7f3c2a10', '3f2a91c7')],
    [42_000, event('signal-enqueued', 'run-7f3c2a10')],
    [40_000, event('signal-enqueued', 'run-7f3c2a10')],
  ]);
}

const inspect = (...args: readonly string[]) => lease(['inspect', ...args], { backend: site.name });

async function answer(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const result = await inspect(...args, '--json');
  const [object, ...more] = result.json();
  expect(more).toEqual([]);
  expect(result).toMatchObject({ stderr: '', exitCode: object?.exitCode });
  return object ?? {};
}

describe('one key', () => {
  test('is a screen: what is known, the verdict, and what to do in the safe order', async () => {
    await makeSilentThread();
    await site.hold(`thread-claim:${THREAD}`, 'process-1');
    await site.hold('mastra:durable-agent-recovery:v1:["my agent","run-7f3c2a10"]', 'recoverer', 29_000);
    const { stdout, stderr, exitCode } = await inspect('thread:abc');
    const lines = stdout
      .replace(/\d+\.\d s/g, 'S')
      .replace(/\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/\d+ [kM]?B/, 'BYTES')
      .split('\n');
    expect(lines).toEqual([
      'thread abc · resource user-42',
      '  thread:abc itself is not held; this is thread abc · resource user-42, the one held thread with that id',
      '',
      '  lease     held by run-7f3c2a10 · S left',
      '  events    4 kept in BYTES · last S ago (signal-enqueued TIME) · registered TIME by process 3f2a91c7',
      '  waiting   2 messages since S',
      '  readers   0 groups · 0 unacknowledged',
      expect.stringMatching(/^ {2}related {3}claim held by process-1 · /),
      '            recovery of agent my agent held by recoverer · S',
      expect.stringMatching(/^ {2}verdict {3}SILENT {2}held by run-7f3c2a10 .*nothing for 8 min/),
      '',
      '  next  1   abort the run   POST /api/agents/my%20agent/threads/abort  {"resourceId":"user-42","threadId":"abc"}',
      '        2   its logs        run run-7f3c2a10 · process 3f2a91c7   (links.run in the config makes a link of it)',
      '        3   only then       mastra-lease release --force --resource user-42 --thread abc',
      '            beware          released first, the run goes on and other processes can no longer abort it',
      '',
    ]);
    expect(stderr).toBe(`${site.source} · MASTRA_LEASE_BACKEND\n`);
    expect(exitCode).toBe(0);
  });

  test('is one object with all that is known, and no text of a message', async () => {
    await makeSilentThread();
    const result = await inspect(...NAMED, '--json');
    expect(result.stdout).not.toContain('SECRET');
    const [object] = result.json();
    expect(object).toEqual({
      schema: 'mastra-lease/inspect@1',
      verb: 'inspect',
      verdict: 'silent',
      why: expect.stringContaining('nothing for 8 min'),
      about: [{ run: 'run-7f3c2a10', process: '3f2a91c7', lastEventAt: INSTANT }],
      exitCode: 0,
      key: 'user-42\\0abc',
      kind: 'thread',
      resource: 'user-42',
      thread: 'abc',
      status: 'held',
      owner: 'run-7f3c2a10',
      remainingMs: WHOLE_MS,
      expiresAt: INSTANT,
      inferred: ['expiresAt'],
      process: '3f2a91c7',
      assumedTtlMs: 15_000,
      evidence: 'read',
      activity: {
        stream: 'mastra:topic:agent.thread-stream.user-42%00abc',
        length: 4,
        bytes: WHOLE_MS,
        eventsRead: 4,
        isWhole: true,
        lastEvent: {
          id: expect.stringMatching(/^\d+-\d+$/),
          type: 'signal-enqueued',
          at: INSTANT,
          run: 'run-7f3c2a10',
          ageMs: WHOLE_MS,
        },
        runs: [
          {
            run: 'run-7f3c2a10',
            state: 'unfinished',
            process: '3f2a91c7',
            firstEventAt: INSTANT,
            registeredAt: INSTANT,
            lastEventAt: INSTANT,
            lastEventType: 'stream-part',
          },
        ],
        waiting: { count: 2, since: INSTANT, ageMs: WHOLE_MS },
        groups: 0,
        unacknowledged: 0,
        clock: 'server',
        now: INSTANT,
      },
      related: [],
      next: [
        {
          action: 'abort',
          run: 'run-7f3c2a10',
          process: '3f2a91c7',
          isOwner: true,
          title: 'abort the run',
          request: {
            method: 'POST',
            path: '/api/agents/AGENT/threads/abort',
            body: '{"resourceId":"user-42","threadId":"abc"}',
          },
        },
        expect.objectContaining({ action: 'logs', run: 'run-7f3c2a10', process: '3f2a91c7' }),
        expect.objectContaining({
          action: 'release',
          owner: 'run-7f3c2a10',
          command: 'mastra-lease release --force --resource user-42 --thread abc',
        }),
      ],
      links: {},
      notes: [],
      source: expect.objectContaining({ backend: `${site.name}/0`, role: 'primary' }),
      at: INSTANT,
    });
  });

  test('keeps the backend that was typed in the commands it names, and no secret', async () => {
    await makeSilentThread();
    const backend = site.name.replace('://', '://default:hunter2@');
    await site.client.config('SET', 'requirepass', 'hunter2');
    const { stdout } = await lease(['inspect', ...NAMED, '--backend', backend]);
    await site.client.config('SET', 'requirepass', '');
    expect(stdout).toContain(`mastra-lease release --force --backend 'redis://…@`);
    expect(stdout).not.toContain('hunter2');
  });

  test('that nobody holds is told apart: never seen, gone on without its lease, and free', async () => {
    expect(await answer(...NAMED)).toMatchObject({ verdict: 'unseen', status: 'free', isPrefixUsed: false });
    await site.hold('deploy', 'job-1');
    expect(await answer(...NAMED)).toMatchObject({ verdict: 'unseen', isPrefixUsed: true });
    await writeHistory(site.client, THREAD, [
      [5_000, event('run-registered', 'run-a', 'p-1')],
      [1_000, event('stream-part', 'run-a', 'p-1')],
    ]);
    expect(await answer(...NAMED)).toMatchObject({ verdict: 'lapsed', process: 'p-1', evidence: 'read' });
    await writeHistory(site.client, THREAD, [[0, event('run-completed', 'run-a', 'p-1')]]);
    expect(await answer(...NAMED)).toMatchObject({ verdict: 'free' });
  });

  test('of a thread id that nobody holds is no all-clear: its events cannot be found', async () => {
    await site.hold('deploy', 'job-1');
    for (const asked of [['thread:t-9'], ['--thread', 't-9']]) {
      expect(await answer(...asked)).toMatchObject({
        key: null,
        thread: 't-9',
        verdict: 'unknown',
        exitCode: 0,
      });
    }
    expect((await inspect('thread:t-9')).stdout).toContain(
      'mastra-lease inspect --resource RESOURCE --thread t-9',
    );
    expect((await inspect('t-9')).stdout).toContain('mastra-lease inspect --thread t-9');
    expect(await answer('thread:t-9', '--literal')).toMatchObject({ key: 'thread:t-9', verdict: 'free' });
  });

  test('that never expires says so, and how to mend it first', async () => {
    await site.client.set(recordOf(THREAD), 'run-a');
    const { stdout, exitCode } = await inspect(...NAMED);
    expect(stdout).toContain('held by run-a · no expiry');
    expect(stdout).toMatch(/verdict {3}NO-EXPIRY /);
    expect(stdout).toMatch(
      /next {2}1 .* mastra-lease renew --force --ttl 15s --resource user-42 --thread abc/,
    );
    expect(exitCode).toBe(0);
  });

  test('whose owner names run and process is read out, and the whole owner shown', async () => {
    const owner = 'mastra-thread-owner:["run-a","process-9","u-1"]';
    await site.hold(THREAD, owner);
    const { stdout } = await inspect(...NAMED);
    expect(stdout).toContain(`held by run run-a of process process-9 (${owner})`);
    expect(await answer(...NAMED)).toMatchObject({ owner, ownerRun: 'run-a', process: 'process-9' });
  });

  test('is judged by the thresholds and the lease time that are given', async () => {
    await site.hold(THREAD, 'run-a', 9_000);
    await writeHistory(site.client, THREAD, [
      [9_000, event('run-registered', 'run-a', 'p-1')],
      [8_000, event('stream-part', 'run-a', 'p-1')],
    ]);
    expect(await answer(...NAMED, '--ttl', '9s')).toMatchObject({ verdict: 'working', assumedTtlMs: 9_000 });
    expect(await answer(...NAMED)).toMatchObject({ verdict: 'late', assumedTtlMs: 15_000 });
    const silent = await answer(...NAMED, '--ttl', '9s', '--silent-after', '5s', '--fresh-within', '1s');
    expect(silent).toMatchObject({ verdict: 'silent' });
  });
});

test('several keys are a screen each, or an object each, in their order; one that is ambiguous is named', async () => {
  await makeSilentThread();
  await site.hold('user-1\0twice', 'run-1');
  await site.hold('user-2\0twice', 'run-2');
  const json = await inspect('deploy', 'thread:twice', 'user-42\\0abc', '--json');
  expect(json.json().map((object) => [object.schema, object.key, object.verdict])).toEqual([
    ['mastra-lease/inspect@1', 'deploy', 'free'],
    ['mastra-lease/inspect@1', 'user-42\\0abc', 'silent'],
    ['mastra-lease/error@1', 'thread:twice', undefined],
  ]);
  expect(json.exitCode).toBe(2);
  const text = await inspect('deploy', 'user-42\\0abc');
  expect(text.stdout.match(/^\S.*$/gm)).toEqual(['deploy', 'thread abc · resource user-42']);
  expect(text.exitCode).toBe(0);
});

test('links of the config are filled in, URL-encoded; one that needs what is not known is left out', async () => {
  const ids = { resource: 'user/42?', thread: 'a b' };
  await site.hold(`${ids.resource}\0${ids.thread}`, 'run/1');
  const links = {
    run: 'https://logs.example/{run}',
    grafana: 'https://g/{resource}/{thread}/{owner}',
    pod: '{process}',
  };
  const contexts = { prod: { backend: site.name, links, readOnly: true } };
  await using directory = await makePackage({
    'mastra-lease.config.json': { defaultContext: 'prod', contexts },
  });
  const args = ['inspect', '--resource', ids.resource, '--thread', ids.thread];
  const { stdout } = await lease(args, { cwd: directory.path });
  expect(stdout).toContain('grafana  https://g/user%2F42%3F/a%20b/run%2F1');
  const json = await lease([...args, '--json', '--context', 'prod'], { cwd: directory.path });
  expect(json.json()[0]?.links).toEqual({
    run: 'https://logs.example/run%2F1',
    grafana: 'https://g/user%2F42%3F/a%20b/run%2F1',
  });
  await writeHistory(site.client, `${ids.resource}\0${ids.thread}`, [
    [90_000, event('run-registered', 'run/1', 'p/1')],
  ]);
  const silent = await lease(args, { cwd: directory.path });
  expect(silent.stdout).toMatch(
    /its logs +https:\/\/logs\.example\/run%2F1 +\(config: links\.run\)\n.*release --force.*\(refused from here: the config says readOnly\)/,
  );
  expect(silent.stdout).toMatch(/links +grafana .*\n +pod {2}p%2F1\n/);
});

test('nothing of hostile ids, owners and events moves a cursor or leaves its line', async () => {
  const hostile = '\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u009b31m\u202e"\'`$(id)\n';
  await site.hold(`${hostile}\0${hostile}`, hostile);
  await site.hold(`thread-claim:${hostile}\0${hostile}`, hostile);
  await site.hold(`mastra:durable-agent-recovery:v1:${JSON.stringify([hostile, hostile])}`, hostile);
  await writeHistory(site.client, `${hostile}\0${hostile}`, [
    [90_000, event('run-registered', hostile, hostile)],
    [80_000, event(`x${hostile}`, hostile, hostile)],
    [70_000, event('run-registered', `other ${hostile}`, hostile)],
  ]);
  for (const args of [['thread:\\x1b[2J\\x1b]52;c;ZXZpbA==\\x07\\x9b31m\\u{202e}"\'`$(id)\\x0a'], []]) {
    for (const format of [[], ['--json']]) {
      const { stdout, stderr, exitCode } = await inspect(...args, ...format);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('[2J');
      expect((stdout + stderr).replaceAll(/[\n\t]/g, '')).not.toMatch(/\p{C}/u);
    }
  }
});

test.each([
  [['a', '--silent-after', '60'], 'Expected --silent-after with a unit (15s, 500ms), got "60"'],
  [['a', '--silent-after', '0'], 'Expected --silent-after of more than 0, got "0"'],
  [['a', '--fresh-within', 'soon'], 'Expected --fresh-within as a duration'],
  [['a', '--observe', '-1s'], 'Expected --observe as a duration'],
  [['a', '--ttl', '25h'], 'Expected --ttl from 1ms to 24h'],
  [['--by', 'pod'], 'Expected --by as one of process, got "pod"'],
  [['a', '--by', 'process'], '--by means nothing with keys'],
  [['a', '--health', 'late'], '--health means nothing with keys'],
  [['--observe', '5s'], '--observe means nothing without a key'],
  [['-', 'a'], 'Expected - alone'],
  [['-', '--thread', 't'], 'Expected - alone'],
  [['a', '--thread', 't'], 'Expected one way of naming the key'],
  [['--resource', 'r'], 'Expected --thread with --resource'],
  [['--limit', '0'], 'Expected --limit as a whole number from 1'],
  [['bad\\q'], 'The key cannot be read'],
])('%j is refused', async (args, message) => {
  const { stdout, stderr, exitCode } = await inspect(...args);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(message);
});

describe('where not everything can be seen', () => {
  let server: RedisServer;
  const env = { MASTRA_LEASE_PASSWORD: 'secret' };

  beforeAll(async () => {
    server = await startRedis({
      aclUsers: {
        leases: 'on >secret ~mastra:topic:lease:* +get +pttl +hello +eval +scan',
        reader: 'on >secret ~mastra:topic:lease:* +get +pttl +hello',
        blind: 'on >secret ~other:* +get +hello',
      },
    });
    const client = await server.client();
    await client.set(recordOf(THREAD), 'run-a', 'PX', 60_000);
  });
  afterAll(() => server.stop());

  const as = (user: string, ...args: readonly string[]) =>
    lease(['inspect', ...args], { backend: server.url, env: { ...env, MASTRA_LEASE_USERNAME: user } });

  test('a user without rights on streams is told so, and all that the lease says', async () => {
    for (const user of ['leases', 'reader']) {
      const { stdout, exitCode } = await as(user, ...NAMED);
      expect(stdout).toContain('held by run-a · ');
      expect(stdout).toMatch(/events {4}not permitted: /);
      expect(stdout).toMatch(/verdict {3}UNKNOWN /);
      expect(exitCode).toBe(0);
    }
    const [object] = (await as('leases', ...NAMED, '--json')).json();
    expect(object).toMatchObject({
      evidence: 'unavailable',
      evidenceError: { code: 'ERR_LEASE_NOT_PERMITTED' },
    });
    const everything = await as('leases');
    expect(everything.stdout).toMatch(/^unknown\tthread\tuser-42\\0abc\trun-a\t\d+\t-\t-\tuser-42\tabc\n$/);
    expect(everything.exitCode).toBe(0);
  });

  test('a user without rights on leases gets 10', async () => {
    expect(await as('blind', ...NAMED)).toMatchObject({ stdout: '', exitCode: 10 });
    expect(await as('reader')).toMatchObject({ stdout: '', exitCode: 10 });
  });

  test('a server that is not there, or hangs, is 7, and a replica that has not got the lease too', async () => {
    await using proxy = await startTcpProxy(server);
    await proxy.stop();
    for (const args of [NAMED, []]) {
      expect(await lease(['inspect', ...args], { backend: proxy.url })).toMatchObject({
        stdout: '',
        exitCode: 7,
      });
    }
    await using hanging = await startTcpProxy(server);
    hanging.pause();
    const hung = await lease(['inspect', ...NAMED, '--timeout', '500ms'], { backend: hanging.url });
    expect(hung).toMatchObject({ stdout: '', exitCode: 7 });
    await using pair = await startReplicaPair();
    const replica = await lease(['inspect', ...NAMED], { backend: pair.replica.url });
    expect(replica).toMatchObject({ stdout: '', exitCode: 7 });
    expect(replica.stderr).toContain('replica');
  });

  test('a lease that a demoted primary still has is told, and that its events are in doubt: 7', async () => {
    await using pair = await startReplicaPair();
    const old = pair.primary;
    await (await old.client()).set(recordOf(THREAD), 'run-a', 'PX', 60_000);
    await pair.sync();
    await pair.swapRoles();
    const { stdout, stderr, exitCode } = await lease(['inspect', ...NAMED], { backend: old.url });
    expect(stdout).toContain('held by run-a · ');
    expect(stdout).toMatch(/events {4}not read: .*replica/);
    expect(stdout).toMatch(/verdict {3}UNKNOWN /);
    expect(stderr).toMatch(/^error user-42\\0abc: .*replica/m);
    expect(exitCode).toBe(7);
  });
});

describe('without an event stream', () => {
  let sqlite: LeaseSite;

  beforeAll(async () => {
    sqlite = await openSqliteSite();
  });
  afterAll(() => sqlite[Symbol.asyncDispose]());

  test('an SQLite backend tells what the lease alone says', async () => {
    await sqlite.hold(THREAD, 'run-a', 12_000);
    const { stdout, exitCode } = await lease(['inspect', 'thread:abc'], { backend: sqlite.name });
    expect(stdout).toContain('events    cannot be read on this backend');
    expect(stdout).toMatch(/verdict {3}UNKNOWN /);
    expect(exitCode).toBe(0);
    const json = await lease(['inspect', '--json'], { backend: sqlite.name });
    expect(json.json()).toMatchObject([
      { verdict: 'unknown', evidence: 'unavailable', owner: 'run-a' },
      { schema: 'mastra-lease/inspect-end@1', complete: true, total: 1, verdicts: { unknown: 1 } },
    ]);
  });
});

test('a provider that keeps the contract alone is told as far as it tells: its owner', async () => {
  const leases = `
    const owner = async (key) => key === 'user-42\\0abc' ? 'run-1' : undefined;
    const no = async () => false;
    export const pubsub = {
      acquireLease: no, getLeaseOwner: owner, releaseLease: no, renewLease: no, transferLease: no,
    };`;
  await using directory = await makePackage({ 'leases.mjs': leases });
  const run = (...args: readonly string[]) =>
    lease(['inspect', ...args, '--backend', './leases.mjs'], { cwd: directory.path });
  const held = await run(...NAMED);
  expect(held.stdout).toContain('held by run-1 · time left unknown');
  expect(held.stdout).toContain('events    cannot be read on this backend');
  expect(held.stdout).toMatch(/related {3}more could not be looked for: .* cannot be listed/);
  expect(held).toMatchObject({ exitCode: 0 });
  const free = await run('deploy');
  expect(free.stdout).toContain('itself says so');
  expect(free).toMatchObject({ exitCode: 0 });
  expect(await run()).toMatchObject({ stdout: '', exitCode: 9 });
});

test('a backend in one process’s memory cannot be looked at from here: 9', async () => {
  await using directory = await makeTempDir();
  for (const args of [['deploy'], []]) {
    const result = await lease(['inspect', ...args, '--backend', 'memory:'], { cwd: directory.path });
    expect(result).toMatchObject({ stdout: '', exitCode: 9 });
  }
});
