import { Buffer } from 'node:buffer';
import { systemClock } from '../../lease/clock.js';
import { isLeaseError, WrongTypeError } from '../../lease/errors.js';
import type { ReadThreadOptions, ThreadActivity, ThreadEvent } from '../../lease/evidence.js';
import { assertKey } from '../../lease/key.js';
import { orAborted } from '../../lease/or-aborted.js';
import { assertPrimary, replyOf } from './call-answer.js';
import type { CallAnswer, RedisClient } from './client.js';
import type { RedisCommand } from './command.js';
import { isFailure } from './reply-failure.js';
import { readEntries, type StreamEntry, type StreamRecord } from './thread-stream-entry.js';
import { readRuns } from './thread-stream-runs.js';
import { FIRST_PAGE, StreamTail } from './thread-stream-tail.js';
import { readWaiting } from './thread-stream-waiting.js';

const DEFAULT_MAX_EVENTS = 1_000;

/** Reads the tail of a thread's events, newest first and bounded in number and bytes; `undefined` without a stream. */
export async function readThread(
  client: RedisClient,
  keyPrefix: string,
  threadKey: string,
  { signal, maxEvents = DEFAULT_MAX_EVENTS }: ReadThreadOptions,
): Promise<ThreadActivity | undefined> {
  const stream = streamName(keyPrefix, assertKey(threadKey));
  const deadline = client.deadline('read');
  const ask = (commands: readonly RedisCommand[]) =>
    orAborted(client.call({ name: 'events', kind: 'read', commands, deadline }, { record: stream }), signal);
  const count = Math.min(FIRST_PAGE, maxEvents);
  const answer = await ask([
    page(stream, '+', count),
    ['xlen', stream],
    ['xinfo', 'groups', stream],
    ['memory', 'usage', stream],
    ['time'],
  ]);
  const { nowMs, ...facts } = readFacts(answer);
  const tail = new StreamTail({ meanBytes: facts.bytes && facts.length && facts.bytes / facts.length });
  tail.add(readPage(answer), count);
  if (tail.read === 0 && facts.groups === undefined) {
    assertPrimary(answer, 'events', 'no such stream');
    return undefined;
  }
  await readOn(tail, maxEvents, (end, wanted) => ask([page(stream, end, wanted)]));
  return {
    stream,
    ...read(tail, nowMs ?? systemClock.wallMs()),
    clock: nowMs === undefined ? 'host' : 'server',
    length: tail.read,
    ...facts,
    // Entries that were deleted between two pages are missing without a trace but this.
    isWhole: facts.length === undefined ? tail.isExhausted : tail.read === facts.length,
    ...(tail.readSinceMs !== undefined && { readSinceMs: tail.readSinceMs }),
    unreadable: tail.unreadable,
    ...(tail.lastUnreadableAtMs !== undefined && { lastUnreadableAtMs: tail.lastUnreadableAtMs }),
  };
}

/** Mastra's name for it. The streams of replies begin with the same text. */
function streamName(keyPrefix: string, threadKey: string): string {
  return `${keyPrefix}:agent.thread-stream.${encodeURIComponent(threadKey)}`;
}

function page(stream: string, end: string, count: number): RedisCommand {
  return ['xrevrange', stream, end, '-', 'COUNT', String(count)];
}

/** Goes back until it is enough. What was read says something without what came before it. */
async function readOn(
  tail: StreamTail,
  maxEvents: number,
  ask: (end: string, count: number) => Promise<CallAnswer>,
): Promise<void> {
  for (;;) {
    const wanted = tail.wanted(maxEvents);
    if (wanted === 0) return;
    try {
      tail.add(readPage(await ask(tail.end, wanted)), wanted);
    } catch (error) {
      if (isLeaseError(error) && error.code === 'ERR_LEASE_UNREACHABLE') return;
      throw error;
    }
  }
}

function read(
  tail: StreamTail,
  nowMs: number,
): Pick<ThreadActivity, 'nowMs' | 'events' | 'runs' | 'waiting'> {
  const records = tail.oldestFirst();
  const runs = readRuns(records);
  const waiting = readWaiting(records, runs, nowMs);
  return { nowMs, events: records.map(asEvent), runs, ...(waiting && { waiting }) };
}

function asEvent({ id, atMs, type, runId, process }: StreamRecord): ThreadEvent {
  return { id, atMs, type, ...(runId !== undefined && { runId }), ...(process !== undefined && { process }) };
}

function readPage(answer: CallAnswer): readonly StreamEntry[] {
  if (isFailure(answer.replies[0], 'WRONGTYPE')) {
    throw new WrongTypeError(
      `events: the name of the thread's stream holds a value of another type on ${answer.server}`,
      { remedy: 'something else writes under this prefix, or it is the wrong --key-prefix' },
    );
  }
  return readEntries(replyOf(answer, 'XREVRANGE'));
}

/** What the server tells beside the entries, as far as the user may ask. Only a stream that is there has groups, or none. */
interface StreamFacts {
  readonly length?: number;
  readonly groups?: number;
  readonly pending?: number;
  readonly bytes?: number;
  readonly nowMs?: number;
}

function readFacts({ replies }: CallAnswer): StreamFacts {
  const [, length, groups, bytes, time] = replies;
  const [seconds, microseconds] = Array.isArray(time) ? time.map(Number) : [];
  return {
    ...(typeof length === 'number' && { length }),
    ...(Array.isArray(groups) && { groups: groups.length, pending: sumOf(groups, 'pending') }),
    ...(typeof bytes === 'number' && { bytes }),
    ...(seconds !== undefined &&
      microseconds !== undefined && { nowMs: seconds * 1_000 + Math.floor(microseconds / 1_000) }),
  };
}

/** Adds up a field of replies that are lists of names and values. */
function sumOf(groups: readonly unknown[], name: string): number {
  return groups.reduce<number>((sum, group) => {
    const fields: readonly unknown[] = Array.isArray(group) ? group : [];
    const at = fields.findIndex((field) => Buffer.isBuffer(field) && field.toString() === name);
    const value = fields[at + 1];
    return at >= 0 && typeof value === 'number' ? sum + value : sum;
  }, 0);
}
