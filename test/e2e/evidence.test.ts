import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ApplicationBackendOptions, examineApplication } from '../../src/backend/application-backend.js';
import { systemClock } from '../../src/lease/clock.js';
import { nextSteps } from '../../src/lease/next-steps.js';
import { judge, type Verdict, type VerdictFacts } from '../../src/lease/verdict.js';
import { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { RedisStreamsPubSub } from '../fixtures/redis-streams/redis-streams-pubsub.js';
import { codeOf } from '../redis/open-provider.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { startThreadAgent, type ThreadAgent } from './thread-agent.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

/** Renewed often, so that a busy machine costs no lease. */
const TIMES = { ttlMs: 9_000, renewEveryMs: 500 };
const THRESHOLDS = { silentAfterMs: 3_000, freshWithinMs: 2_000 };
/** What a process of this machine may be late by before it is taken for a failure. */
const DEADLINE_MS = 25_000;

let server: RedisServer;
let redis: Redis;
let provider: RedisLeaseProvider;
/** Two processes of one application, one that gets killed, and one that gets frozen. */
let first: ThreadAgent;
let second: ThreadAgent;
let doomed: ThreadAgent;
let sleeper: ThreadAgent;

beforeAll(async () => {
  server = await startRedis();
  redis = await server.client();
  provider = new RedisLeaseProvider({ url: server.url });
  const start = () => startThreadAgent(server.url, TIMES);
  [first, second, doomed, sleeper] = await Promise.all([start(), start(), start(), start()]);
});

afterAll(async () => {
  await Promise.all([first, second, doomed, sleeper].map((agent) => agent?.[Symbol.asyncDispose]()));
  await provider?.close();
  await server?.stop();
});

function keyOf(thread: string): string {
  return `user-42\0${thread}`;
}

async function look(thread: string) {
  const key = keyOf(thread);
  const [lease, activity] = await Promise.all([provider.readLease(key), provider.readThread(key)]);
  const facts: VerdictFacts = {
    key,
    ...(lease && { lease }),
    ...(activity ? { evidence: 'read', activity } : { evidence: 'no-stream' }),
    ttlMs: TIMES.ttlMs,
  };
  const judgement = judge(facts, THRESHOLDS);
  return { ...facts, ...judgement, steps: nextSteps(judgement, facts) };
}

/** Waits until a thread has this verdict. */
function becomes(thread: string, verdict: Verdict) {
  let last = '';
  return waitFor(
    async () => {
      const seen = await look(thread);
      last = `${seen.verdict}: ${seen.why}`;
      if (seen.verdict !== verdict) throw new Error(last);
      return seen;
    },
    { deadlineMs: DEADLINE_MS, everyMs: 50, what: `${thread} to be ${verdict}` },
  );
}

test('a run that produces is working, under the process that publishes it, and nothing is to be done', async () => {
  const run = await first.ask('run', 'works', 'count');
  const seen = await becomes('works', 'working');
  expect(seen.activity?.runs).toMatchObject([
    { runId: run, process: expect.any(String), state: 'unfinished' },
  ]);
  expect(seen.lease?.owner).toBe(run);
  expect(seen.why).toMatch(
    new RegExp(`^held by ${run} for another .+ s, and its run produced something .+ ago$`),
  );
  expect(seen.steps).toEqual([]);
  expect(await first.ask('abort', 'works')).toBe('true');
  const ended = await becomes('works', 'free');
  expect(ended.why).toMatch(/^nobody holds it, and its last run ended .+ ago \(run-(completed|aborted)\)$/);
  expect(ended.steps).toEqual([]);
});

test('a run whose model hangs is silent while it is renewed, with the messages that wait for it; an abort frees it', async () => {
  const run = await first.ask('run', 'hangs', 'hang');
  for (const text of ['hello', 'again']) expect(await second.ask('send', 'hangs', text)).toBe(run);
  const seen = await becomes('hangs', 'silent');
  expect(seen.activity?.waiting).toMatchObject({ count: 2 });
  expect(seen.why).toMatch(
    /its run has produced nothing for .+ \(last: stream-part\); 2 messages have been waiting for/,
  );
  expect(seen.steps).toMatchObject([
    { kind: 'abort', runId: run, isOwner: true },
    { kind: 'logs', runId: run },
    { kind: 'release', owner: run },
  ]);
  expect(await first.ask('abort', 'hangs')).toBe('true');
  // The runtime then starts a run for the first message; the second waits for the end of its first step.
  const next = await waitFor(
    async () => {
      const { verdict, lease, activity } = await look('hangs');
      return verdict === 'working' && activity?.waiting?.count === 1 && lease?.owner;
    },
    { deadlineMs: DEADLINE_MS, what: 'a run for the message that waited' },
  );
  expect(next).not.toBe(run);
});

test('a run that waits for an approval is parked, and working again once it has it', async () => {
  const run = await first.ask('run', 'parks', 'approve');
  const seen = await becomes('parks', 'parked');
  expect(seen.activity?.runs).toMatchObject([
    { runId: run, state: 'suspended', lastEventType: 'run-suspended' },
  ]);
  expect(seen.lease?.owner).toBe(run);
  expect(seen.steps).toMatchObject([{ kind: 'answer', runId: run }, { kind: 'abort' }, { kind: 'release' }]);
  await first.ask('approve', 'parks', run);
  expect((await becomes('parks', 'working')).lease?.owner).toBe(run);
});

test('a run whose lease was broken has lapsed; with its lease claimed for it, another process can abort it', async () => {
  await second.ask('join', 'lapses');
  const run = await first.ask('run', 'lapses', 'count');
  await becomes('lapses', 'working');
  await provider.releaseLease(keyOf('lapses'), run);
  const { steps, why } = await becomes('lapses', 'lapsed');
  expect(why).toContain(run);
  expect(steps).toMatchObject([
    { kind: 'acquire', owner: run },
    { kind: 'abort', runId: run, isOwner: true },
    { kind: 'logs', runId: run },
  ]);
  await provider.acquireLease(keyOf('lapses'), run, 30_000);
  await becomes('lapses', 'working');
  await waitFor(async () => (await second.ask('abort', 'lapses')) === 'true', { deadlineMs: DEADLINE_MS });
  await becomes('lapses', 'free');
});

test('two processes that produce on one thread have doubled it, and the one without the lease is to go', async () => {
  const old = await first.ask('run', 'doubles', 'count');
  await becomes('doubles', 'working');
  await provider.releaseLease(keyOf('doubles'), old);
  const young = await second.ask('run', 'doubles', 'count');
  const seen = await becomes('doubles', 'doubled');
  expect(seen.lease?.owner).toBe(young);
  expect(seen.runs?.map(({ runId }) => runId).sort()).toEqual([old, young].sort());
  expect(new Set(seen.runs?.map(({ process }) => process)).size).toBe(2);
  expect(seen.steps[0]).toMatchObject({ kind: 'abort', runId: old, isOwner: false });
  expect(await first.ask('abort', 'doubles')).toBe('true');
  expect((await becomes('doubles', 'working')).lease?.owner).toBe(young);
});

test('a lease moved to a stranger while its run goes on is disputed, and no longer when it is handed back', async () => {
  const run = await first.ask('run', 'is-taken', 'count');
  await becomes('is-taken', 'working');
  await provider.transferLease(keyOf('is-taken'), run, 'operator@host:1:abc', 60_000);
  const { steps, why } = await becomes('is-taken', 'disputed');
  expect(why).toContain(`held by operator@host:1:abc for another`);
  expect(why).toContain(run);
  expect(steps[0]).toMatchObject({ kind: 'transfer', from: 'operator@host:1:abc', to: run });
  await provider.transferLease(keyOf('is-taken'), 'operator@host:1:abc', run, 30_000);
  await becomes('is-taken', 'working');
});

test('a stranger who holds a thread swallows its messages, and that is told', async () => {
  const over = await first.ask('run', 'swallows', 'count');
  await becomes('swallows', 'working');
  expect(await first.ask('abort', 'swallows')).toBe('true');
  await becomes('swallows', 'free');
  await provider.acquireLease(keyOf('swallows'), 'ci@host:7:abc', 60_000);
  expect(await second.ask('send', 'swallows', 'hello')).toBe('ci@host:7:abc');
  const seen = await becomes('swallows', 'disputed');
  expect(seen.why).toContain(
    `no run of this thread (the last was ${over}): messages sent to it are lost; 1 message has`,
  );
  expect(seen.steps).toEqual([
    { kind: 'ask', owner: 'ci@host:7:abc' },
    { kind: 'release', owner: 'ci@host:7:abc' },
    { kind: 'resend', count: 1 },
  ]);
});

test('a frozen process is late, though it produced a moment ago, and working when it thaws in time', async () => {
  const run = await sleeper.ask('run', 'freezes', 'count');
  await becomes('freezes', 'working');
  await sleeper.signal('SIGSTOP');
  const seen = await becomes('freezes', 'late');
  expect(seen.why).toMatch(
    /a renewal is overdue by .+ if its TTL is 9\.0 s; its run was last heard of .+ ago/,
  );
  expect(seen.steps).toMatchObject([
    { kind: 'wait', until: 'expiry' },
    { kind: 'logs', runId: run },
  ]);
  await sleeper.signal('SIGCONT');
  await becomes('freezes', 'working');
});

test('a killed process leaves an orphan; without an expiry it holds the thread for ever, until it is given one', async () => {
  const run = await doomed.ask('run', 'dies', 'count');
  await becomes('dies', 'working');
  await doomed.signal('SIGKILL');
  const record = `mastra:topic:lease:${keyOf('dies')}`;
  await redis.persist(record);
  const stuck = await look('dies');
  expect(stuck.verdict).toBe('no-expiry');
  expect(stuck.steps).toEqual([
    { kind: 'renew', owner: run, ttlMs: TIMES.ttlMs },
    { kind: 'wait', forMs: TIMES.ttlMs, until: 'expiry' },
  ]);
  expect(await provider.renewLease(keyOf('dies'), run, 200)).toBe(true);
  const seen = await becomes('dies', 'orphaned');
  expect(seen.why).toMatch(
    new RegExp(`^nobody holds it, and its last run, ${run} in process .+, never ended`),
  );
  expect(seen.steps).toMatchObject([{ kind: 'logs', runId: run, process: expect.any(String) }]);

  const next = await first.ask('run', 'dies', 'count');
  expect((await becomes('dies', 'working')).lease?.owner).toBe(next);
});

test('a thread that nobody ever ran is unseen', async () => {
  const { verdict, why, steps } = await look('was-never');
  expect({ verdict, why }).toEqual({
    verdict: 'unseen',
    why: 'nobody holds it, and no event of this thread is kept here',
  });
  expect(steps).toEqual([{ kind: 'check-prefix' }]);
});

test("the events are found through an application's own pubsub, where its lease is seen at the same place", async () => {
  const run = await first.ask('run', 'is-seen', 'count');
  const { evidence } = await openApplication();
  expect((await evidence.readThread(keyOf('is-seen')))?.runs).toMatchObject([{ runId: run }]);
  expect(await evidence.readThread(keyOf('was-never'))).toBeUndefined();
  expect(await first.ask('abort', 'is-seen')).toBe('true');
});

test('under another prefix than that of the application, what is there or is not says nothing', async () => {
  const { evidence } = await openApplication({ settings: { keyPrefix: 'other' } });
  expect(await codeOf(evidence.readThread(keyOf('works')))).toBe('ERR_LEASE_UNVERIFIED');
  await provider.acquireLease(keyOf('elsewhere'), 'run', 60_000);
  expect(await codeOf(evidence.readThread(keyOf('elsewhere')))).toBe('ERR_LEASE_UNVERIFIED');
});

test('where the place was only guessed, a thread that nobody holds has events once a lease was seen there', async () => {
  const { evidence, inspector } = await openApplication({
    env: { REDIS_URL: server.url },
    isIntrospected: false,
  });
  expect(await codeOf(evidence.readThread(keyOf('was-never')))).toBe('ERR_LEASE_UNVERIFIED');
  await provider.acquireLease('something', 'else', 60_000);
  for await (const _ of inspector?.listLeases() ?? []);
  expect(await evidence.readThread(keyOf('was-never'))).toBeUndefined();
});

/** A backend of an application's pubsub, as `--backend ./pubsub.ts` opens it. */
async function openApplication(options: Partial<ApplicationBackendOptions> = {}) {
  const file = fileURLToPath(new URL('../fixtures/redis-streams/pubsub.ts', import.meta.url));
  const { backend, refusal, close } = await examineApplication(
    { backend: new RedisStreamsPubSub({ url: server.url }), path: ['export pubsub'], file, envFiles: [] },
    {
      spec: { kind: 'module', path: file },
      foundBy: '--backend',
      isImplied: false,
      isNamed: true,
      steps: [],
      settings: {},
    },
    {
      settings: {},
      budget: () => 10_000,
      clock: systemClock,
      env: {},
      isIntrospected: true,
      allowsNoop: false,
      ...options,
    },
  );
  onTestFinished(close);
  if (!backend?.evidence) throw refusal ?? new Error('it has no evidence');
  return { evidence: backend.evidence, inspector: backend.inspector };
}
