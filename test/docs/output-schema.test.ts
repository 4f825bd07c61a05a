import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.js';
import { CONFORMANCE_LEVELS } from '../../src/conformance/levels.js';
import { LEASE_ERROR_CODES } from '../../src/lease/errors.js';
import { HEALTHS } from '../../src/lease/health.js';
import { KEY_KINDS, threadKey } from '../../src/lease/key.js';
import { escapeText } from '../../src/lease/text.js';
import { VERDICTS } from '../../src/lease/verdict.js';
import { LEASE_EVENTS } from '../../src/operations/watch-event.js';
import { makePackage } from '../cli/application-folder.js';
import { fixture } from '../cli/application-process.js';
import { lease, startLease } from '../cli/lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from '../cli/lease-site.js';
import { startWatch } from '../cli/watch-run.js';
import { streamOf, writeHistory } from '../redis/thread-events.js';
import { findFreePort } from '../support/free-port.js';
import { startRedis, startReplicaPair } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { assertOutput, OUTPUT_SCHEMA, PRINTED, resolveRef } from './output-schema.js';
import { everyPlace, placedDefinition, placesIn } from './schema-fields.js';
import { TROUBLES } from './troubles.js';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const THREAD = ['--resource', 'user-42', '--thread', 't-1'];
const DEPLOY = ['deploy', '--owner', 'run-1'];

/** Grants every claim, and cannot transfer. */
const ALWAYS_YES = `export const leases = {
  acquireLease: async (key, owner) => ({ acquired: true, owner }),
  getLeaseOwner: async () => undefined,
  releaseLease: async () => {},
  renewLease: async () => true,
  transferLease: async () => { throw new Error('not today'); },
};`;

type JsonObject = Readonly<Record<string, unknown>>;
type Options = NonNullable<Parameters<typeof lease>[1]>;

let site: RedisSite;
let folder: TempDir;
/** The fields that were printed so far, by where the schema defines them. */
const seen = new Set<string>();

beforeAll(async () => {
  [site, folder] = await Promise.all([openRedisSite(), makeTempDir()]);
});
beforeEach(() => site.clear());
afterAll(() => Promise.all([site[Symbol.asyncDispose](), folder.remove()]));

/** Compares an object with the schema, to the last field. */
function take(object: JsonObject): JsonObject {
  assertOutput(object);
  const name = String(object.schema).replace('mastra-lease/', '');
  for (const place of placesIn(object, [placedDefinition(name)])) seen.add(place);
  return object;
}

/** Runs a command with --json, and gives what it printed, compared with the schema. */
async function print(args: readonly string[], options: Options = {}): Promise<readonly JsonObject[]> {
  const result = await lease([...args, '--json'], { backend: site.name, ...options });
  const objects = result.json().map(take);
  expect(objects.length, result.stderr).toBeGreaterThan(0);
  return objects;
}

async function printOne(args: readonly string[], options: Options = {}): Promise<JsonObject> {
  const [object = {}, ...more] = await print(args, options);
  expect(more).toEqual([]);
  return object;
}

test('it names every kind of object that the program prints, and no other', () => {
  const named = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const [, name = ''] of readFileSync(join(SRC, file), 'utf8').matchAll(
      /'mastra-lease\/([\w-]+@\d+)'/g,
    ))
      named.add(name);
  }
  expect([...named].sort()).toEqual([...PRINTED].sort());
  expect(Object.keys(OUTPUT_SCHEMA.$defs).filter((name) => name.includes('@'))).toEqual(PRINTED);
  for (const name of PRINTED)
    expect(resolveRef(name).properties?.schema).toEqual({ const: `mastra-lease/${name}` });
});

test('its lists of words are those of the source', () => {
  const words = (name: string, field: string) => resolveRef(name).properties?.[field]?.enum;
  expect(resolveRef('exitCode').enum).toEqual(Object.keys(EXIT_CODES).map(Number));
  expect(resolveRef('errorCode').enum).toEqual([
    ...LEASE_ERROR_CODES,
    'ERR_LEASE_LOST',
    'ERR_USAGE',
    'ERR_INTERRUPTED',
    'ERR_INTERNAL',
  ]);
  expect(words('keyParts', 'kind')).toEqual(KEY_KINDS);
  expect(words('health', 'health')).toEqual(HEALTHS);
  expect(resolveRef('verdict').enum).toEqual(VERDICTS);
  expect(resolveRef('level').enum).toEqual(CONFORMANCE_LEVELS);
  expect(resolveRef('event@1').oneOf?.[0]?.properties?.type?.enum).toEqual(LEASE_EVENTS);
});

describe('what is printed is as it says', () => {
  test('by the verbs, whatever they find', async () => {
    const answers: (readonly [args: readonly string[], status: string])[] = [
      [['owner', 'deploy'], 'free'],
      [['owner', '--thread', 't-9'], 'free'],
      [['acquire', ...DEPLOY, '--ttl', '5m'], 'acquired'],
      [['acquire', ...DEPLOY], 'refreshed'],
      [['acquire', 'deploy', '--owner', 'run-2'], 'held-by-other'],
      [['renew', ...DEPLOY], 'renewed'],
      [['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2'], 'transferred'],
      [['release', 'deploy', '--owner', 'run-2', '--dry-run'], 'released'],
      [['release', 'deploy', '--owner', 'run-2'], 'released'],
      [['renew', ...DEPLOY], 'no-lease'],
      [['acquire', ...THREAD, '--owner', 'run-1'], 'acquired'],
    ];
    for (const [args, status] of answers) expect(await printOne(args)).toMatchObject({ status });
  });

  test('of keys and owners of every kind, also those that are no text', async () => {
    const keys = [
      'user-42\0t-1',
      'thread-claim:user-42\0t-1',
      'mastra:durable-agent-recovery:v1:["a","b"]',
      'mastra:durable-agent-execution:v1:["a","b"]',
      'workflow-step-run:run-9:event-1',
      'notification-dispatch:user-42',
      'schedule:nightly',
      'deploy',
    ];
    const fork = 'mastra-thread-owner:["run-1","process-1","uuid-1"]';
    for (const key of keys) await site.hold(key, fork);
    await site.client.set(recordOf('forever'), 'run-1');
    const bytes = Buffer.from([0xfe]);
    await site.client.set(Buffer.concat([Buffer.from(recordOf('')), bytes]), bytes, 'PX', 60_000);
    await site.client.set(recordOf('owned-by-bytes'), bytes, 'PX', 60_000);
    const listed = await print(['list']);
    expect(new Set(listed.map(({ kind }) => kind))).toEqual(new Set([...KEY_KINDS, undefined]));
    expect(listed).toHaveLength(keys.length + 4);
    await print(['owner', 'deploy', 'forever', 'owned-by-bytes', 'free']);
    await print(['watch', '--for', '200ms']);
    const stdin = keys.map((key) => JSON.stringify({ key: escapeText(key), owner: fork })).join('\n');
    const freed = await print(['release', '-', '--force', '--yes'], { stdin });
    expect(freed.map(({ status }) => status)).toContain('skipped');
  });

  test('of a run at work', async () => {
    await site.hold('user-42\0t-1', 'run-1');
    const event = { type: 'stream-part', runId: 'run-1', data: { sourceId: 'process-1' } };
    const stream = `mastra:topic:agent.thread-stream.${encodeURIComponent('user-42\0t-1')}`;
    await site.client.xadd(stream, '*', 'event', JSON.stringify(event));
    expect(await printOne(['release', ...THREAD, '--force', '--yes'])).toMatchObject({ status: 'active' });
  });

  test('of a look after the write, and of one that saw nothing', async () => {
    await using proxy = await startTcpProxy(site.server);
    const release = ['release', 'deploy', '--force', '--yes', '--verify', '--json'];
    const options = { backend: proxy.url, env: { MASTRA_AGENT_THREAD_LEASE_TTL_MS: '1500' } };
    await site.hold('deploy', 'run-1');
    expect(await printOne(release, options)).toMatchObject({ later: { isBack: false } });
    await site.hold('deploy', 'run-1');
    const running = await startLease(release, options);
    await waitFor(async () => (await site.read('deploy')) === undefined, { what: 'the release' });
    proxy.refuseNew();
    proxy.cut();
    expect((await running.done).json().map(take)).toMatchObject([{ exitCode: 8, later: { error: {} } }]);
  });

  test('when the answer to a write is lost, read back or not, in the audit file too', async () => {
    await using proxy = await startTcpProxy(site.server);
    const options = { backend: proxy.url };
    const file = join(folder.path, 'audit.ndjson');
    const audit = ['--audit-file', file, '--reason', 'to see'];
    void proxy.dropNextReply({ command: 'EVAL' });
    expect(await printOne(['acquire', ...DEPLOY, ...audit], options)).toMatchObject({ readBack: true });
    await printOne(['release', 'deploy', '--owner', 'run-2', ...audit], options);
    await printOne(['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2', ...audit], options);
    void proxy.dropNextReply({ command: 'EVAL' }).then(() => proxy.refuseNew());
    const lost = await printOne(
      ['release', 'deploy', '--owner', 'run-2', '--timeout', '2s', ...audit],
      options,
    );
    expect(lost).toMatchObject({ exitCode: 8 });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const outcomes = lines.map((line) => take(JSON.parse(line)).outcome);
    expect(outcomes).toEqual(['done', 'refused', 'done', 'unknown']);
  });

  test('by commands that end without an answer', async () => {
    const dead = `redis://127.0.0.1:${await findFreePort()}`;
    await site.hold('user-1\0t-1', 'run-1');
    await site.hold('user-2\0t-1', 'run-2');
    await site.client.hset(recordOf('hash'), 'a', 'b');
    await using proxy = await startTcpProxy(site.server);
    proxy.pause('down');
    const write = ['acquire', ...DEPLOY, '--timeout', '60s', '--json'];
    await using running = await startLease(write, { backend: proxy.url });
    const failures = await Promise.all([
      print(['owner', 'deploy'], { backend: dead }),
      print(['owner', 'a', 'b'], { backend: dead }),
      print(['list'], { backend: dead }),
      print(['owner', '--thread', 't-1']),
      print(['owner', 'hash', 'deploy']),
      print(['owner']),
      print(['no-such-command']),
      print(['owner', 'deploy'], { backend: 'memory:' }),
      print(['owner', 'deploy'], { backend: fixture('four-methods/leases.ts') }),
    ]);
    await waitFor(() => proxy.commands.some(([name]) => name === 'eval'), {
      deadlineMs: 15_000,
      what: 'the command to be sent',
    });
    running.child.kill('SIGTERM');
    const interrupted = (await running.done).json().map(take);
    expect([...failures.map(([first]) => first), ...interrupted].map(codeOf)).toEqual([
      'ERR_LEASE_UNREACHABLE',
      'ERR_LEASE_UNREACHABLE',
      'ERR_LEASE_UNREACHABLE',
      'ERR_LEASE_AMBIGUOUS_KEY',
      'ERR_LEASE_WRONG_TYPE',
      'ERR_USAGE',
      'ERR_USAGE',
      'ERR_LEASE_UNSUPPORTED',
      'ERR_LEASE_UNSUPPORTED',
      'ERR_INTERRUPTED',
    ]);
  });

  test('by inspect, of threads in every trouble', async () => {
    const config = { backend: site.name, links: { run: 'https://logs.example/{run}' } };
    await using project = await makePackage({ 'mastra-lease.config.json': config });
    const options = { cwd: project.path, env: { MASTRA_LEASE_BACKEND: undefined } };
    for (const [thread, { owner, leftMs, history }] of Object.entries(TROUBLES)) {
      const key = threadKey({ resource: 'user-1', thread });
      if (owner !== undefined) await site.hold(key, owner, leftMs);
      await writeHistory(site.client, key, history);
    }
    await site.hold('mastra:durable-agent-recovery:v1:["clerk","run-1"]', 'recoverer');
    await site.client.set(recordOf('user-1\0forever'), 'run-9');
    await site.client.set(streamOf('user-1\0unreadable'), 'no stream');
    await site.client.xadd(streamOf('user-1\0working'), '*', 'event', 'no JSON');
    await site.client.acl(
      'SETUSER',
      'reader',
      'on',
      '>secret',
      '~*',
      '+get',
      '+pttl',
      '+eval',
      '+hello',
      '+xrevrange',
      '+xinfo',
    );
    const named = (thread: string) => ['inspect', '--resource', 'user-1', '--thread', thread];
    const single = await Promise.all([
      ...Object.keys(TROUBLES).map((thread) => printOne(named(thread), options)),
      printOne(named('forever'), options),
      printOne(named('unreadable'), options),
      printOne(named('silent'), { backend: site.name.replace('redis://', 'redis://reader:secret@') }),
      printOne([...named('silent'), '--key-prefix', 'nobody:uses'], options),
      printOne(['inspect', 'deploy'], options),
      printOne(['inspect', '--thread', 't-9'], options),
    ]);
    expect(new Set(single.map(({ verdict }) => verdict))).toEqual(new Set(VERDICTS));
    await print(['inspect', '--by', 'process', '--health', 'ok'], options);
    await using watching = await startLease([...named('silent'), '--observe', '1s', '--json'], options);
    const done = watching.done.then(() => true);
    while (!(await Promise.race([done, sleep(100)])))
      await site.client.pexpire(recordOf('user-1\0silent'), 60_000);
    expect((await watching.done).json().map(take)).toMatchObject([{ renewals: {} }]);
    await print(['inspect', '-'], { ...options, stdin: 'user-1\\0silent\n' });
  });

  test('by wait', async () => {
    await site.hold('deploy', 'run-1');
    const look = ['--timeout', '0'];
    expect(await printOne(['wait', 'deploy', '--until', 'held', ...look])).toMatchObject({ status: 'met' });
    expect(await printOne(['wait', 'deploy', '--until', 'owner=run-2', ...look])).toMatchObject({
      exitCode: 6,
    });
    expect(await printOne(['wait', '--thread', 't-9', '--until', 'free', ...look])).toMatchObject({
      status: 'met',
    });
  });

  test('by watch, while a lease goes through all that can happen to it, and the server away', async () => {
    const aclUsers = { poller: 'on >secret ~* +get +pttl +scan +type +eval +evalsha +hello' };
    await using server = await startRedis({ aclUsers });
    const client = await server.client();
    const file = join(folder.path, 'recording.ndjson');
    await client.set(recordOf('forever'), 'run-1');
    await using run = await startWatch(['--record', file], { backend: server.url });
    const key = recordOf('user-1\0t-1');
    await client.set(key, 'run-1', 'PX', 60_000);
    await run.next({ type: 'acquired' });
    await client.pexpire(key, 90_000);
    await run.next({ type: 'renewed' });
    await client.set(key, 'run-2', 'PX', 1_500);
    await run.next({ type: 'transferred' });
    await run.next({ type: 'late' });
    await run.next({ type: 'expired' });
    await client.set(key, 'run-1');
    await run.next({ type: 'no-expiry' });
    await client.del(key);
    await run.next({ type: 'released' });
    const poller = `redis://poller:secret@127.0.0.1:${server.port}`;
    await print(['watch', '--for', '200ms'], { backend: poller });
    await print(['watch', '--for', '1s'], { backend: `redis://127.0.0.1:${await findFreePort()}` });
    client.disconnect();
    await server.kill();
    await run.next({ type: 'backend-down' });
    await run.stop();
    for (const event of run.events) take(event);
    for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) take(JSON.parse(line));
  });

  test('by check, of a server, of an application, of nothing that leases, and of contexts', async () => {
    const project = {
      'mastra-lease.config.json': {
        contexts: { staging: { backend: site.name }, prod: { backend: 'redis:' } },
        defaultContext: 'staging',
      },
    };
    await using configured = await makePackage(project);
    await site.hold('deploy', 'run-1');
    const aclUsers = { writer: 'on >secret ~* +get +pttl +eval +hello' };
    await using closed = await startRedis({ aclUsers });
    await using pair = await startReplicaPair();
    const env = { FIXTURE_REDIS_URL: site.name };
    await Promise.all([
      print(['check']),
      print(['check'], { backend: pair.replica.url }),
      print(['check'], { backend: `redis://writer:secret@127.0.0.1:${closed.port}` }),
      print(['check'], { backend: `redis://127.0.0.1:${await findFreePort()}` }),
      print(['check'], { backend: fixture('redis-streams/pubsub.ts'), env }),
      print(['check'], { backend: fixture('redis-lying/pubsub.ts'), env }),
      print(['check'], { backend: fixture('event-emitter/pubsub.ts') }),
      print(['check'], { backend: fixture('four-methods/leases.ts') }),
      print(['check', '--contexts'], { cwd: configured.path }),
      print(['check', '--context', 'staging'], {
        cwd: configured.path,
        env: { MASTRA_LEASE_BACKEND: undefined },
      }),
      print(['owner', 'deploy', '--allow-noop'], { backend: fixture('no-leasing/pubsub.ts') }),
    ]);
  });

  test('by conformance, of a backend that conforms and of one that does not', async () => {
    expect(await printOne(['conformance', '--level', 'structural'])).toMatchObject({ conforms: true });
    await using wrong = await makePackage({ 'leases.mjs': ALWAYS_YES });
    const options = { cwd: wrong.path, backend: './leases.mjs' };
    expect(
      await printOne(['conformance', '--require', 'safe-ttl', '--level', 'contract'], options),
    ).toMatchObject({
      conforms: false,
    });
  });

  test('and no field of it was never printed', () => {
    // Of a backend that went away in the middle: as a listing and a failure print them.
    const seldom = ['inspect@1.watchError', 'inspect-end@1.error'];
    expect(everyPlace().filter((place) => !seen.has(place))).toEqual(seldom);
  });
});

function codeOf(object: JsonObject | undefined): unknown {
  const { error } = object ?? {};
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
