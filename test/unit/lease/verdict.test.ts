import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ThreadActivity, ThreadRun } from '../../../src/lease/evidence.js';
import { nextSteps } from '../../../src/lease/next-steps.js';
import {
  DEFAULT_THRESHOLDS,
  type Judgement,
  judge,
  VERDICTS,
  type Verdict,
  type VerdictFacts,
} from '../../../src/lease/verdict.js';
import { VERDICT_RULES } from '../../../src/lease/verdict-rules.js';

const KEY = 'user-42\0t-1';
const NOW_MS = 1_700_000_000_000;
const TTL_MS = 15_000;
const UUID = '3f2a91c7-0000-4000-8000-00000000000a';
const FRESH = 1_000;
const QUIET = 45_000;
const STALE = 500_000;

interface RunSketch extends Partial<Pick<ThreadRun, 'state' | 'lastEventType'>> {
  readonly process?: string | undefined;
  /** How long ago it was heard of last; default 1 s. */
  readonly agoMs?: number;
  /** How long ago it began; default 10 min. */
  readonly beganMs?: number;
  readonly abortAskedMs?: number;
  readonly rivals?: readonly (readonly [process: string, agoMs: number])[];
}

/** A run as few words describe it: unfinished, in process p-1, heard of a second ago. */
function run(runId: string, sketch: RunSketch = {}): ThreadRun {
  const { state = 'unfinished', agoMs = FRESH, beganMs = 600_000, abortAskedMs, rivals } = sketch;
  const lastEventType =
    sketch.lastEventType ??
    { unfinished: 'stream-part', suspended: 'run-suspended', ended: 'run-completed' }[state];
  const process = 'process' in sketch ? sketch.process : 'p-1';
  return {
    runId,
    ...(process !== undefined && { process }),
    firstEventAtMs: NOW_MS - beganMs,
    registeredAtMs: NOW_MS - beganMs,
    lastEventAtMs: NOW_MS - agoMs,
    lastEventType,
    state,
    ...(abortAskedMs !== undefined && { abortRequestedAtMs: NOW_MS - abortAskedMs }),
    ...(rivals && { rivals: rivals.map(([rival, ms]) => ({ process: rival, lastEventAtMs: NOW_MS - ms })) }),
  };
}

function activity(runs: readonly ThreadRun[], more: Partial<ThreadActivity> = {}): ThreadActivity {
  const newest = Math.max(...runs.map(({ lastEventAtMs }) => lastEventAtMs));
  return {
    stream: 'a-stream',
    nowMs: NOW_MS,
    clock: 'server',
    length: runs.length,
    events: runs.length === 0 ? [] : [{ id: `${newest}-0`, atMs: newest, type: 'stream-part' }],
    isWhole: true,
    runs,
    unreadable: 0,
    ...more,
  };
}

/** The facts about a thread with these runs; `held` is how long its lease has left, by whom. */
function thread(
  runs: readonly ThreadRun[],
  held?: readonly [owner: string, remainingMs?: number | null | undefined],
  more: Partial<VerdictFacts> = {},
): VerdictFacts {
  const [owner = '', remainingMs] = held ?? [];
  return {
    key: KEY,
    ...(held && { lease: { key: KEY, owner, ...(remainingMs !== undefined && { remainingMs }) } }),
    evidence: 'read',
    activity: activity(runs),
    ttlMs: TTL_MS,
    ...more,
  };
}

/** The facts about a key of which only the lease can be seen. */
function leaseAlone(
  key: string,
  remainingMs?: number | null,
  more: Partial<VerdictFacts> = {},
): VerdictFacts {
  return {
    key,
    ...(remainingMs !== undefined && { lease: { key, owner: 'run-a', remainingMs } }),
    evidence: 'unavailable',
    ttlMs: TTL_MS,
    ...more,
  };
}

const WAITING = { count: 2, sinceMs: NOW_MS - 40_000 };
const RENEWED = { seen: 2, intervalMs: 5_000, lastAgoMs: 1_000, watchedMs: 6_000 };
const RECOVERY = 'mastra:durable-agent-recovery:v1:["agent","run-a"]';

const CASES: readonly (readonly [what: string, facts: VerdictFacts, verdict: Verdict, why: string])[] = [
  [
    'its run produces',
    thread([run('run-a')], ['run-a', 12_400]),
    'working',
    'held by run-a for another 12.4 s, and its run produced something 1.0 s ago',
  ],
  [
    'its run produces, and is seen to renew',
    thread([run('run-a')], ['run-a', 12_400], { renewals: RENEWED }),
    'working',
    'held by run-a for another 12.4 s, renewed every 5.0 s, and its run produced something 1.0 s ago',
  ],
  [
    'its run produced 45 s ago, which is not silent yet',
    thread([run('run-a', { agoMs: QUIET })], ['run-a', 12_400]),
    'working',
    'held by run-a for another 12.4 s, and its run produced something 45.0 s ago',
  ],
  [
    'its run has just ended',
    thread([run('run-a', { state: 'ended', agoMs: 200 })], ['run-a', 12_400]),
    'working',
    'held by run-a for another 12.4 s, and its run has ended 200 ms ago',
  ],
  [
    'its run hangs, and a run inside it (in its process) produces',
    thread([run('run-a', { agoMs: STALE }), run('run-b', { beganMs: 2_000 })], ['run-a', 12_400]),
    'working',
    'held by run-a for another 12.4 s, and its run produced something 1.0 s ago',
  ],
  [
    'its owner is of the longer form that names run and process',
    thread([run('run-a')], [`mastra-thread-owner:["run-a","p-1","${UUID}"]`, 12_400]),
    'working',
    `held by mastra-thread-owner:["run-a","p-1","${UUID}"] for another 12.4 s, and its run produced something 1.0 s ago`,
  ],
  [
    'its run produces nothing',
    thread([run('run-a', { agoMs: STALE })], ['run-a', 12_400]),
    'silent',
    'held by run-a for another 12.4 s, and its run has produced nothing for 8 min 20 s (last: stream-part)',
  ],
  [
    'its run produces nothing, does not obey, and messages wait',
    thread([run('run-a', { agoMs: STALE, abortAskedMs: 40_000 })], ['run-a', 12_400], {
      activity: activity([run('run-a', { agoMs: STALE, abortAskedMs: 40_000 })], { waiting: WAITING }),
      renewals: { seen: 1, watchedMs: 6_000 },
    }),
    'silent',
    'held by run-a for another 12.4 s, just renewed, and its run has produced nothing for 8 min 20 s (last: stream-part), and an abort asked for 40.0 s ago was not obeyed; 2 messages have been waiting for 40.0 s',
  ],
  [
    'its run ended long ago',
    thread([run('run-a', { state: 'ended', agoMs: QUIET })], ['run-a', 12_400]),
    'silent',
    'held by run-a for another 12.4 s, and its run ended 45.0 s ago (run-completed)',
  ],
  [
    'its renewal is overdue, though its run produces',
    thread([run('run-a')], ['run-a', 6_900]),
    'late',
    'held by run-a for another 6.9 s, and a renewal is overdue by 3.1 s if its TTL is 15.0 s; its run was last heard of 1.0 s ago (stream-part)',
  ],
  [
    'it is parked, and its renewal is overdue',
    thread([run('run-a', { state: 'suspended' })], ['run-a', 6_900]),
    'late',
    'held by run-a for another 6.9 s, and a renewal is overdue by 3.1 s if its TTL is 15.0 s; its run was last heard of 1.0 s ago (run-suspended)',
  ],
  [
    'its TTL is shorter than assumed: it is seen to renew at its own pace',
    thread([run('run-a')], ['run-a', 4_900], {
      renewals: { seen: 3, intervalMs: 1_700, lastAgoMs: 100, watchedMs: 6_000 },
    }),
    'working',
    'held by run-a for another 4.9 s, renewed every 1.7 s, and its run produced something 1.0 s ago',
  ],
  [
    'it was renewed, and then no more',
    thread([run('run-a')], ['run-a', 4_900], {
      renewals: { seen: 2, intervalMs: 5_000, lastAgoMs: 10_100, watchedMs: 16_000 },
    }),
    'late',
    'held by run-a for another 4.9 s, and a renewal is overdue by 5.1 s if its TTL is 15.0 s; its run was last heard of 1.0 s ago (stream-part)',
  ],
  [
    'its run waits for an approval',
    thread([run('run-a', { state: 'suspended', agoMs: STALE })], ['run-a', 12_400]),
    'parked',
    'run run-a has been suspended for 8 min 20 s: it waits for an answer, such as an approval',
  ],
  [
    'its run waits, and another process works beside it',
    thread(
      [run('run-a', { state: 'suspended', agoMs: STALE }), run('run-b', { process: 'p-2', beganMs: 5_000 })],
      ['run-a', 12_400],
    ),
    'parked',
    'run run-a has been suspended for 8 min 20 s: it waits for an answer, such as an approval; beside it works run-b in process p-2',
  ],
  [
    'its run waits, and its lease is gone',
    thread([run('run-a', { state: 'suspended', agoMs: STALE })]),
    'parked',
    'run run-a has been suspended for 8 min 20 s: it waits for an answer, such as an approval, and its lease is gone',
  ],
  [
    'it has no expiry',
    thread([run('run-a', { agoMs: STALE })], ['run-a', null]),
    'no-expiry',
    'held by run-a without an expiry; its run was last heard of 8 min 20 s ago (stream-part)',
  ],
  [
    'nobody holds it and its run goes on',
    thread([run('run-a')]),
    'lapsed',
    'nobody holds it, and a run goes on: run-a in process p-1, heard of 1.0 s ago (stream-part)',
  ],
  [
    'nobody holds it, and a run goes on that began before the last',
    thread([run('run-a', { process: 'p-2' }), run('run-b', { state: 'ended', beganMs: 9_000 })]),
    'lapsed',
    'nobody holds it, and a run goes on: run-a in process p-2, heard of 1.0 s ago (stream-part)',
  ],
  [
    'nobody holds it and its run never ended',
    thread([run('run-a', { agoMs: STALE, process: undefined })]),
    'orphaned',
    'nobody holds it, and its last run, run-a, never ended: heard of 8 min 20 s ago (stream-part)',
  ],
  [
    'a stranger holds it',
    thread([run('run-a', { state: 'ended', agoMs: STALE })], ['ci@host:7:abc', 12_400]),
    'disputed',
    'held by ci@host:7:abc for another 12.4 s, which is no run of this thread (the last was run-a): messages sent to it are lost',
  ],
  [
    'a stranger holds it, and its renewal is overdue',
    thread([run('run-a', { state: 'ended', agoMs: STALE })], ['ci@host:7:abc', 2_000]),
    'disputed',
    'held by ci@host:7:abc for another 2.0 s, which is no run of this thread (the last was run-a): messages sent to it are lost',
  ],
  [
    'a stranger may hold it, of a thread whose runs may have been trimmed off its events',
    thread([], ['ci@host:7:abc', 12_400]),
    'unknown',
    'held by ci@host:7:abc for another 12.4 s, of which no event is here: a run that is starting, one whose events were trimmed, or no run of this thread',
  ],
  [
    'a stranger may hold it, of a thread whose newest entries cannot be read',
    thread([run('run-a', { state: 'ended', agoMs: STALE })], ['ci@host:7:abc', 12_400], {
      activity: activity([run('run-a', { state: 'ended', agoMs: STALE })], {
        unreadable: 1,
        lastUnreadableAtMs: NOW_MS - FRESH,
      }),
    }),
    'unknown',
    'held by ci@host:7:abc for another 12.4 s; something publishes on this thread, but its newest entries are no events that can be read',
  ],
  [
    'its run is quiet, and the newest entries cannot be read',
    thread([run('run-a', { agoMs: STALE })], ['run-a', 12_400], {
      activity: activity([run('run-a', { agoMs: STALE })], {
        unreadable: 1,
        lastUnreadableAtMs: NOW_MS - FRESH,
      }),
    }),
    'unknown',
    'held by run-a for another 12.4 s; something publishes on this thread, but its newest entries are no events that can be read',
  ],
  [
    'a stranger holds it while its run goes on',
    thread([run('run-a')], ['ci@host:7:abc', 12_400]),
    'disputed',
    "held by ci@host:7:abc for another 12.4 s, while the thread's work is done without the lease by run-a in process p-1, heard of 1.0 s ago (stream-part)",
  ],
  [
    'a run that hangs holds it while another process works',
    thread(
      [run('run-a', { agoMs: QUIET }), run('run-b', { process: 'p-2', beganMs: 9_000 })],
      ['run-a', 12_400],
    ),
    'disputed',
    "held by run-a for another 12.4 s, while the thread's work is done without the lease by run-b in process p-2, heard of 1.0 s ago (stream-part)",
  ],
  [
    'what looks like a run holds it, and has published nothing for a whole TTL',
    thread([run('run-a', { state: 'ended' })], ['run-b', 12_400], {
      renewals: { ...RENEWED, watchedMs: 16_000 },
    }),
    'disputed',
    'held by run-b for another 12.4 s, renewed every 5.0 s, which is no run of this thread (the last was run-a): messages sent to it are lost',
  ],
  [
    'a run that is starting holds it',
    thread([run('run-a', { state: 'ended' })], [UUID, 12_400]),
    'unknown',
    `held by ${UUID} for another 12.4 s, of which no event is here: a run that is starting, one whose events were trimmed, or no run of this thread`,
  ],
  [
    'a run that is starting holds it, named as the application names its runs',
    thread([run('run-a', { state: 'ended' })], ['run-b', 12_400]),
    'unknown',
    'held by run-b for another 12.4 s, of which no event is here: a run that is starting, one whose events were trimmed, or no run of this thread',
  ],
  [
    'its owner may have been registered before the events that were read',
    thread([], ['ci@host:7:abc', 12_400], { activity: activity([], { isWhole: false }) }),
    'unknown',
    'held by ci@host:7:abc for another 12.4 s, of which the last 0 events tell nothing',
  ],
  [
    'two processes produce',
    thread([run('run-a'), run('run-b', { process: 'p-2', beganMs: 9_000, agoMs: 300 })], ['run-b', 12_400]),
    'doubled',
    'more than one produces at the same time: run-a in process p-1 1.0 s ago, run-b in process p-2 300 ms ago',
  ],
  [
    'two processes produce under one run id',
    thread([run('run-a', { process: 'p-2', rivals: [['p-1', 2_000]] })], ['run-a', 12_400]),
    'doubled',
    'more than one produces at the same time: run-a in process p-2 1.0 s ago, run-a in process p-1 2.0 s ago',
  ],
  [
    'two processes produced under one run id, long ago',
    thread([run('run-a', { process: 'p-2', rivals: [['p-1', STALE]] })], ['run-a', 12_400]),
    'working',
    'held by run-a for another 12.4 s, and its run produced something 1.0 s ago',
  ],
  [
    'one run took over from another that was killed a moment before',
    thread(
      [run('run-a', { agoMs: 12_000 }), run('run-b', { process: 'p-2', beganMs: 9_000 })],
      ['run-b', 12_400],
    ),
    'working',
    'held by run-b for another 12.4 s, and its run produced something 1.0 s ago',
  ],
  [
    'it was never seen',
    { key: KEY, evidence: 'no-stream', ttlMs: TTL_MS },
    'unseen',
    'nobody holds it, and no event of this thread is kept here',
  ],
  [
    'it was never seen, nor anything else',
    { key: KEY, evidence: 'no-stream', ttlMs: TTL_MS, isPrefixUsed: false },
    'unseen',
    'nobody holds it, and no event of this thread is kept here; nothing at all is leased here',
  ],
  [
    'it was never seen among others',
    { key: KEY, evidence: 'no-stream', ttlMs: TTL_MS, isPrefixUsed: true },
    'unseen',
    'nobody holds it, and no event of this thread is kept here; other keys are leased here',
  ],
  [
    'nobody holds it and its last run ended',
    thread([run('run-a', { state: 'ended', agoMs: STALE })]),
    'free',
    'nobody holds it, and its last run ended 8 min 20 s ago (run-completed)',
  ],
  [
    'nobody holds it, and a run before the last never ended',
    thread([run('run-a', { agoMs: STALE }), run('run-b', { state: 'ended', agoMs: QUIET, beganMs: 60_000 })]),
    'free',
    'nobody holds it, and its last run ended 45.0 s ago (run-completed)',
  ],
  ['nobody holds it and nothing ever ran', thread([]), 'free', 'nobody holds it'],
  [
    'nobody holds it, and messages wait',
    thread([], undefined, { activity: activity([], { waiting: { count: 1, sinceMs: NOW_MS - 40_000 } }) }),
    'free',
    'nobody holds it; 1 message has been waiting for 40.0 s',
  ],
  [
    'nobody holds it, and its events cannot be read',
    leaseAlone(KEY),
    'free',
    'nobody holds it; whether a run goes on without it cannot be seen here',
  ],
  ['nobody holds a key that is no thread', leaseAlone('deploy'), 'free', 'nobody holds it'],
  [
    'nobody holds a key that is no thread, nor anything else',
    leaseAlone('deploy', undefined, { evidence: 'no-stream', isPrefixUsed: false }),
    'free',
    'nobody holds it; nothing at all is leased here',
  ],
  [
    'a key that is no thread is held',
    leaseAlone('deploy', 2_000),
    'unknown',
    'held by run-a for another 2.0 s; what its owner does cannot be seen here',
  ],
  [
    'a thread is held whose events cannot be read',
    leaseAlone(KEY, 12_400, { renewals: RENEWED }),
    'unknown',
    'held by run-a for another 12.4 s, renewed every 5.0 s; what its owner does cannot be seen here',
  ],
  [
    'a thread is held that has no stream',
    leaseAlone(KEY, 12_400, { evidence: 'no-stream' }),
    'unknown',
    'held by run-a for another 12.4 s, and no event of this thread is here: its run is starting, publishes elsewhere, or is none',
  ],
  [
    'how long is left cannot be read',
    { key: KEY, lease: { key: KEY, owner: 'run-a' }, evidence: 'unavailable', ttlMs: TTL_MS },
    'unknown',
    'held by run-a; what its owner does cannot be seen here',
  ],
  [
    'a thread is held without events, its renewal overdue',
    leaseAlone(KEY, 6_900),
    'late',
    'held by run-a for another 6.9 s, and a renewal is overdue by 3.1 s if its TTL is 15.0 s',
  ],
  [
    'a recovery is held, its renewal overdue',
    leaseAlone(RECOVERY, 12_400),
    'late',
    'held by run-a for another 12.4 s, and a renewal is overdue by 7.6 s if its TTL is 30.0 s',
  ],
  [
    'a key that is no thread has no expiry',
    leaseAlone('deploy', null),
    'no-expiry',
    'held by run-a without an expiry',
  ],
  [
    'a step’s fence is kept until it expires',
    leaseAlone('workflow-step-run:run-a:event', 100),
    'unknown',
    'held by run-a for another 100 ms; what its owner does cannot be seen here',
  ],
  [
    'the clock of the events is ahead of the one they are read by',
    thread([run('run-a', { agoMs: -STALE })], ['run-a', 12_400]),
    'unknown',
    'held by run-a for another 12.4 s; how old its events are cannot be told, for they are stamped later than the clock shows',
  ],
  [
    'nobody holds it, and the clock of the events is ahead',
    thread([run('run-a', { agoMs: -STALE })]),
    'unknown',
    'nobody holds it; how old its events are cannot be told, for they are stamped later than the clock shows',
  ],
];

test.each(CASES)('%s', (_, facts, verdict, why) => {
  const judgement = judge(facts);
  expect({ verdict: judgement.verdict, why: judgement.why }).toEqual({ verdict, why });
});

test('every verdict is among these cases', () => {
  expect(new Set(CASES.map(([, , verdict]) => verdict))).toEqual(new Set(VERDICTS));
});

test('the thresholds decide what is silent and what is fresh', () => {
  const silent = thread([run('run-a', { agoMs: QUIET })], ['run-a', 12_400]);
  expect(judge(silent, { ...DEFAULT_THRESHOLDS, silentAfterMs: QUIET }).verdict).toBe('silent');
  expect(judge(silent, { ...DEFAULT_THRESHOLDS, silentAfterMs: QUIET + 1 }).verdict).toBe('working');
  const unheld = thread([run('run-a', { agoMs: QUIET })]);
  expect(judge(unheld, { ...DEFAULT_THRESHOLDS, freshWithinMs: QUIET }).verdict).toBe('orphaned');
  expect(judge(unheld, { ...DEFAULT_THRESHOLDS, freshWithinMs: QUIET + 1 }).verdict).toBe('lapsed');
});

describe('until when a dead owner looks alive', () => {
  const until = (facts: VerdictFacts) => judge(facts).cannotTellForMs;
  const stale = run('run-a', { agoMs: STALE });

  test('is told where the lease has more left than the TTL that is assumed', () => {
    expect(until(thread([stale], ['run-a', 300_000]))).toBe(290_000);
    expect(until(thread([run('run-a', { agoMs: QUIET })], ['run-a', 300_000]))).toBe(290_000);
    expect(until(thread([run('run-a', { state: 'suspended' })], ['run-a', 300_000]))).toBe(290_000);
    expect(until(leaseAlone(KEY, 300_000))).toBe(290_000);
    expect(until(leaseAlone(RECOVERY, 300_000))).toBe(280_000);
  });

  test('is not where something shows that it lives, or where no TTL can be assumed', () => {
    expect(until(thread([stale], ['run-a', 12_400]))).toBeUndefined();
    expect(until(thread([run('run-a')], ['run-a', 300_000]))).toBeUndefined();
    expect(until(thread([stale], ['run-a', 300_000], { renewals: RENEWED }))).toBeUndefined();
    expect(until(thread([stale], ['run-a', null]))).toBeUndefined();
    expect(until(leaseAlone('deploy', 300_000))).toBeUndefined();
    expect(until(thread([stale]))).toBeUndefined();
  });
});

describe('next steps', () => {
  const steps = (facts: VerdictFacts) => nextSteps(judge(facts), facts);
  const stale = run('run-a', { agoMs: STALE });
  const RUN = { runId: 'run-a', process: 'p-1' };
  const waiting = { activity: activity([stale], { waiting: WAITING }) };

  test('of a silent thread: abort, then logs, and release last', () => {
    expect(steps(thread([stale], ['run-a', 12_400]))).toEqual([
      { kind: 'abort', ...RUN, isOwner: true },
      { kind: 'logs', ...RUN },
      { kind: 'release', owner: 'run-a' },
    ]);
    const asked = run('run-a', { agoMs: STALE, abortAskedMs: 40_000 });
    expect(steps(thread([asked], ['run-a', 12_400])).map(({ kind }) => kind)).toEqual(['logs', 'release']);
    const ended = run('run-a', { state: 'ended', agoMs: STALE });
    expect(steps(thread([ended], ['run-a', 12_400])).map(({ kind }) => kind)).toEqual(['logs', 'release']);
  });

  test('of one without an expiry: give it one first, which cures without a second run', () => {
    expect(steps(thread([stale], ['run-a', null]))).toEqual([
      { kind: 'renew', owner: 'run-a', ttlMs: TTL_MS },
      { kind: 'wait', forMs: TTL_MS, until: 'expiry' },
    ]);
  });

  test('of a late one: wait for its end, with its logs', () => {
    const wait = { kind: 'wait', forMs: 6_900, until: 'expiry' };
    expect(steps(thread([stale], ['run-a', 6_900]))).toEqual([wait, { kind: 'logs', ...RUN }]);
    expect(steps(leaseAlone(KEY, 6_900))).toEqual([wait, { kind: 'logs', runId: 'run-a' }]);
  });

  test('of a lapsed one: claim the lease for its run, so that an abort is obeyed', () => {
    expect(steps(thread([run('run-a')]))).toEqual([
      { kind: 'acquire', owner: 'run-a', ttlMs: 30_000 },
      { kind: 'abort', ...RUN, isOwner: true },
      { kind: 'logs', ...RUN },
    ]);
  });

  test('of an orphan: its logs, and the messages that nobody will answer', () => {
    expect(steps(thread([stale], undefined, waiting))).toEqual([
      { kind: 'logs', ...RUN },
      { kind: 'resend', count: 2 },
    ]);
  });

  test('of a disputed one: hand it to the run that works, or find out who holds it', () => {
    expect(steps(thread([run('run-a')], ['ci', 12_400]))).toEqual([
      { kind: 'transfer', from: 'ci', to: 'run-a', ttlMs: 30_000 },
      { kind: 'logs', ...RUN },
    ]);
    const over = [run('run-a', { state: 'ended', agoMs: STALE })];
    const held = thread(over, ['ci', 12_400], { activity: activity(over, { waiting: WAITING }) });
    expect(steps(held)).toEqual([
      { kind: 'ask', owner: 'ci' },
      { kind: 'release', owner: 'ci' },
      { kind: 'resend', count: 2 },
    ]);
  });

  test('of a doubled one: the run without the lease is to go first', () => {
    const other = run('run-b', { process: 'p-2', beganMs: 9_000 });
    expect(steps(thread([run('run-a'), other], ['run-b', 12_400]))).toEqual([
      { kind: 'abort', ...RUN, isOwner: false },
      { kind: 'abort', runId: 'run-b', process: 'p-2', isOwner: true },
      { kind: 'logs', ...RUN },
      { kind: 'logs', runId: 'run-b', process: 'p-2' },
    ]);
    const torn = run('run-a', { rivals: [['p-2', 2_000]] });
    expect(steps(thread([torn], ['run-a', 12_400])).map(({ kind }) => kind)).toEqual([
      'abort',
      'logs',
      'logs',
    ]);
  });

  test('of a parked one: the answer it waits for', () => {
    const parked = run('run-a', { state: 'suspended' });
    expect(steps(thread([parked], ['run-a', 12_400])).map(({ kind }) => kind)).toEqual([
      'answer',
      'abort',
      'release',
    ]);
    expect(steps(thread([parked])).map(({ kind }) => kind)).toEqual(['answer', 'abort']);
  });

  test('of an unseen one: is this the place?', () => {
    const unseen: VerdictFacts = { key: KEY, evidence: 'no-stream', ttlMs: TTL_MS };
    expect(steps(unseen)).toEqual([{ kind: 'check-prefix' }]);
    expect(steps({ ...unseen, isPrefixUsed: false })).toEqual([
      { kind: 'check-prefix', isPrefixUsed: false },
    ]);
  });

  test('of an unknown one: look longer, unless that was done', () => {
    expect(steps(leaseAlone(KEY, 12_400))).toEqual([{ kind: 'observe', forMs: 6_000 }]);
    expect(steps(leaseAlone(KEY, 12_400, { renewals: RENEWED }))).toEqual([]);
  });

  test('of one where all is well: none', () => {
    expect(steps(thread([run('run-a')], ['run-a', 12_400]))).toEqual([]);
    expect(steps(thread([run('run-a', { state: 'ended' })]))).toEqual([]);
    expect(steps(thread([], undefined, { activity: activity([], { waiting: WAITING }) }))).toEqual([
      { kind: 'resend', count: 2 },
    ]);
  });
});

describe('whatever the facts', () => {
  /** Every combination of leases, owners, runs, clocks and looks, some of which no server ever shows. */
  function* combinations(): Generator<VerdictFacts> {
    const sketches = (['unfinished', 'suspended', 'ended'] as const).flatMap((state) =>
      [FRESH, QUIET, STALE, -STALE].map((agoMs) => ({ state, agoMs })),
    );
    const seconds = [undefined, ...sketches.flatMap((sketch) => [sketch, { ...sketch, process: 'p-2' }])];
    const runs = [
      [],
      ...sketches.flatMap((one) =>
        seconds.map((other) => [
          run('run-a', one),
          ...(other ? [run('run-b', { ...other, beganMs: 9_000 })] : []),
        ]),
      ),
      [run('run-a', { rivals: [['p-2', FRESH]] })],
    ];
    const owners = [undefined, 'run-a', 'run-b', UUID, 'ci@host', `mastra-thread-owner:["run-a","p-1","x"]`];
    const remains = [undefined, null, 0, 6_900, 12_400, 300_000, Number.NaN];
    const looks: readonly Partial<VerdictFacts>[] = [
      {},
      { renewals: RENEWED },
      { renewals: { seen: 0, watchedMs: 60_000 } },
    ];
    for (const owner of owners) {
      for (const remainingMs of owner === undefined ? [undefined] : remains) {
        const held = owner === undefined ? undefined : ([owner, remainingMs] as const);
        for (const look of looks) {
          for (const some of runs) yield thread(some, held, look);
          const bare = thread([], held, look);
          for (const key of [KEY, 'deploy', RECOVERY, '\0', 'thread-claim:a\0b']) {
            const lease = bare.lease && { lease: { ...bare.lease, key } };
            for (const isPrefixUsed of [true, false]) {
              yield { ...look, key, ...lease, evidence: 'no-stream', isPrefixUsed, ttlMs: TTL_MS };
            }
            yield { ...look, key, ...lease, evidence: 'unavailable', ttlMs: TTL_MS };
            yield { ...look, key, ...lease, evidence: 'read', ttlMs: 1 };
            const cut = activity([run('run-c')], { isWhole: false, waiting: WAITING });
            yield { ...look, key, ...lease, evidence: 'read', activity: cut, ttlMs: TTL_MS };
          }
        }
      }
    }
  }

  const HELD: readonly Verdict[] = ['no-expiry', 'late', 'disputed', 'silent', 'working'];
  const UNHELD: readonly Verdict[] = ['orphaned', 'lapsed', 'unseen', 'free'];

  function problemOf(facts: VerdictFacts, { verdict, why }: Judgement): string | undefined {
    const { lease, activity: seen } = facts;
    const isProducing = seen?.runs.some(
      ({ state, lastEventAtMs }) => state === 'unfinished' && Math.abs(NOW_MS - lastEventAtMs) < 30_000,
    );
    if (!VERDICTS.includes(verdict)) return 'no verdict';
    if (why === '' || why.includes('undefined')) return `no reason: ${why}`;
    if (lease ? UNHELD.includes(verdict) : HELD.includes(verdict))
      return 'takes held for free, or free for held';
    if (lease?.remainingMs === null && !['no-expiry', 'doubled'].includes(verdict))
      return 'forgets the expiry';
    if (verdict === 'free' && isProducing) return 'a false all-clear';
    const steps = nextSteps(judge(facts), facts);
    const abort = steps.findLastIndex(({ kind }) => kind === 'abort');
    const release = steps.findIndex(({ kind }) => kind === 'release');
    if (release >= 0 && abort > release) return 'releases before it aborts';
    for (const step of steps) {
      if (step.kind === 'release' && step.owner !== lease?.owner) return 'releases for somebody else';
      if (step.kind === 'transfer' && step.from !== lease?.owner) return 'moves it from somebody else';
      if (step.kind === 'acquire' && lease) return 'claims what is held';
    }
    return undefined;
  }

  test('there is exactly one verdict with a reason, the same each time, and it never errs on the dangerous side', () => {
    let count = 0;
    const problems = new Set<string>();
    for (const facts of combinations()) {
      count += 1;
      const judgement = judge(facts);
      const problem = problemOf(facts, judgement);
      if (problem !== undefined) problems.add(`${problem}: ${judgement.verdict} of ${JSON.stringify(facts)}`);
      expect(judge(structuredClone(facts))).toEqual(judgement);
    }
    expect([...problems].slice(0, 3)).toEqual([]);
    expect(count).toBeGreaterThan(30_000);
  });
});

describe('the table', () => {
  test('has one rule for each verdict, and the last one always applies', () => {
    expect(VERDICT_RULES.map(({ verdict }) => verdict).sort()).toEqual([...VERDICTS].sort());
    expect(VERDICT_RULES.at(-1)?.verdict).toBe('unknown');
  });

  test('is the one in the documentation, word for word and in its order', () => {
    const doc = readFileSync(new URL('../../../docs/verdicts.md', import.meta.url), 'utf8');
    const rows = [...doc.matchAll(/^\| `([a-z][a-z-]*)` \| ([^|]+?) \|/gm)].map(([, verdict, rule]) => [
      verdict,
      rule,
    ]);
    expect(rows).toEqual(VERDICT_RULES.map(({ verdict, rule }) => [verdict, rule]));
    const { silentAfterMs, freshWithinMs } = DEFAULT_THRESHOLDS;
    expect(doc).toContain(`| \`--silent-after\` | ${silentAfterMs / 1_000}s |`);
    expect(doc).toContain(`| \`--fresh-within\` | ${freshWithinMs / 1_000}s |`);
    expect(doc.replaceAll('\n', ' ')).toContain(VERDICTS.map((verdict) => `\`${verdict}\``).join(', '));
  });
});
