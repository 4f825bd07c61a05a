import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { escapeText, unescapeText } from '../../src/lease/text.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

const THREAD = ['--resource', 'user-42', '--thread', 't-1'];

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const WHOLE_MS = expect.toSatisfy((value: unknown) => Number.isSafeInteger(value));

/** The fields of a lease that ends. */
const lasting = (owner: string) => ({
  owner,
  remainingMs: WHOLE_MS,
  expiresAt: INSTANT,
  inferred: ['expiresAt'],
});

const deploy = { key: 'deploy', kind: 'other' };
const thread = { key: 'user-42\\0t-1', kind: 'thread', resource: 'user-42', thread: 't-1' };

/** Everything that every outcome says beside what it is about. */
function outcome(verb: string, status: string, exitCode: number, notes: readonly unknown[] = []) {
  return {
    schema: 'mastra-lease/outcome@1',
    verb,
    status,
    exitCode,
    notes,
    cautions: [],
    source: {
      backend: `${site.name}/0`,
      foundBy: 'MASTRA_LEASE_BACKEND',
      scope: 'network',
      keyPrefix: 'mastra:topic',
      database: 0,
      role: 'primary',
    },
    at: INSTANT,
  };
}

const NOT_RENEWED = 'nothing renews it: it ends by itself unless it is renewed before';

/** Runs one command with --json and gives its one object. */
async function answer(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const result = await lease([...args, '--json'], { backend: site.name });
  const [object, ...more] = result.json();
  expect(more).toEqual([]);
  expect(result).toMatchObject({ stderr: '', exitCode: object?.exitCode });
  return object ?? {};
}

test('every verb answers one object with all that is known, and nothing else', async () => {
  expect(await answer('owner', 'deploy')).toEqual({ ...outcome('owner', 'free', 4), ...deploy });
  expect(await answer('acquire', 'deploy', '--owner', 'run-1', '--ttl', '5m')).toEqual({
    ...outcome('acquire', 'acquired', 0, [NOT_RENEWED]),
    ...deploy,
    ...lasting('run-1'),
  });
  expect(await answer('acquire', 'deploy', '--owner', 'run-1')).toMatchObject({
    status: 'refreshed',
    exitCode: 0,
  });
  expect(await answer('acquire', 'deploy', '--owner', 'run-2')).toEqual({
    ...outcome('acquire', 'held-by-other', 3),
    ...deploy,
    ...lasting('run-1'),
  });
  expect(await answer('owner', 'deploy')).toEqual({
    ...outcome('owner', 'held', 0),
    ...deploy,
    ...lasting('run-1'),
  });
  expect(await answer('renew', 'deploy', '--owner', 'run-1')).toEqual({
    ...outcome('renew', 'renewed', 0),
    ...deploy,
    ...lasting('run-1'),
  });
  expect(await answer('transfer', 'deploy', '--from', 'run-1', '--to', 'run-2')).toEqual({
    ...outcome('transfer', 'transferred', 0, [NOT_RENEWED]),
    ...deploy,
    ...lasting('run-2'),
    previousOwner: 'run-1',
  });
  expect(await answer('release', 'deploy', '--owner', 'run-1')).toEqual({
    ...outcome('release', 'held-by-other', 3),
    ...deploy,
    ...lasting('run-2'),
  });
  expect(await answer('release', 'deploy', '--owner', 'run-2', '--dry-run')).toEqual({
    ...outcome('release', 'released', 0),
    ...deploy,
    previousOwner: 'run-2',
    dryRun: true,
  });
  expect(await answer('release', 'deploy', '--owner', 'run-2')).toEqual({
    ...outcome('release', 'released', 0),
    ...deploy,
    previousOwner: 'run-2',
  });
  expect(await answer('release', 'deploy', '--owner', 'run-2', '--missing-ok')).toEqual({
    ...outcome('release', 'no-lease', 0),
    ...deploy,
  });
});

test('a write on a thread says what it can cause, as cautions', async () => {
  expect(await answer('acquire', ...THREAD, '--owner', 'run-1')).toEqual({
    ...outcome('acquire', 'acquired', 0, [NOT_RENEWED]),
    ...thread,
    ...lasting('run-1'),
    cautions: [expect.stringContaining('senders hand their messages to this owner')],
  });
  expect(await answer('transfer', ...THREAD, '--from', 'run-1', '--to', 'run-2')).toMatchObject({
    cautions: [expect.stringContaining('other processes can no longer abort it')],
  });
  expect(await answer('renew', ...THREAD, '--owner', 'run-2')).toMatchObject({
    cautions: [expect.stringContaining('the thread stays blocked')],
  });
  expect(await answer('release', ...THREAD, '--owner', 'nobody')).toMatchObject({
    exitCode: 3,
    cautions: [],
  });
  expect(await answer('release', ...THREAD, '--owner', 'run-2')).toMatchObject({
    cautions: [expect.stringContaining('abort first, logs second, release third')],
  });
});

test('a thread that nobody holds has no key, but the id that was asked for', async () => {
  await site.hold('other', 'run-1');
  expect(await answer('owner', '--thread', 't-9')).toEqual({
    ...outcome('owner', 'free', 4),
    key: null,
    thread: 't-9',
  });
});

test('several keys are one object each, in the order in which they were asked', async () => {
  await site.hold('b', 'run-1');
  const result = await lease(['owner', 'a', 'b', 'c', '--json'], { backend: site.name });
  expect(result.json().map(({ key, status, exitCode }) => [key, status, exitCode])).toEqual([
    ['a', 'free', 4],
    ['b', 'held', 0],
    ['c', 'free', 4],
  ]);
  expect(result.exitCode).toBe(4);
});

test('the owner of a fork is decoded, and kept as it is', async () => {
  const owner = 'mastra-thread-owner:["run-1","process-1","uuid-1"]';
  await site.hold('deploy', owner);
  expect(await answer('owner', 'deploy')).toMatchObject({
    owner,
    ownerRun: 'run-1',
    ownerProcess: 'process-1',
  });
});

test('what is printed of key, owner, thread and resource is read back to the same bytes', async () => {
  const hard = '\u001b[0m\\x\u202e"\' 🧵\t\u0000\u00a0\ufffd';
  await site.client.set(recordOf(`r${hard}\0t`), `o${hard}`, 'PX', 60_000);
  const [listed] = (await lease(['list', '--json'], { backend: site.name })).json();
  expect(listed).toMatchObject({ key: escapeText(`r${hard}\0t`), owner: escapeText(`o${hard}`) });
  expect(unescapeText(String(listed?.key))).toEqual({ text: `r${hard}\0t` });
  expect(unescapeText(String(listed?.owner))).toEqual({ text: `o${hard}` });
  expect(await answer('release', String(listed?.key), `--owner=${listed?.owner}`)).toMatchObject({
    status: 'released',
  });
});

test('the source names neither user nor password', async () => {
  const url = `redis://default:ignored@127.0.0.1:${site.server.port}/2`;
  await site.client.acl('SETUSER', 'default', '>ignored');
  const { stdout, stderr } = await lease(['owner', 'deploy', '--json'], { backend: url });
  expect(JSON.parse(stdout)).toMatchObject({
    source: { backend: `redis://127.0.0.1:${site.server.port}/2`, database: 2 },
  });
  expect(stdout + stderr).not.toMatch(/ignored|default/);
  const text = await lease(['owner', 'deploy'], { env: { REDIS_URL: url } });
  expect(text.stderr).toContain(
    `redis://127.0.0.1:${site.server.port}/2 primary · mastra:topic · REDIS_URL\n`,
  );
  expect(text.stderr).not.toContain('ignored');
});
