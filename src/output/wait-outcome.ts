import { escapeText } from '../lease/text.js';
import type { WaitOutcome } from '../operations/wait.js';
import { formatDuration, formatInstant, formatRemaining } from './durations.js';
import { type JsonObject, keyFields, leaseFields, sourceFields } from './json.js';
import { describeKey } from './key-words.js';
import { noteText } from './note-text.js';

/** The answer of `wait` in a word. */
export function waitWord({ met }: WaitOutcome): string {
  return met ? 'met' : 'timed-out';
}

/** What was seen last, a line for each key, with what is to be known of it. */
export function* waitText({ keys, met, waitedMs }: WaitOutcome): Generator<string> {
  const when = `${met ? 'after' : 'still so after'} ${formatDuration(waitedMs)}`;
  for (const outcome of keys) {
    const { key, thread, lease, notes } = outcome;
    const what = key === undefined ? `a thread ${escapeText(thread ?? '')}` : describeKey(key);
    yield lease
      ? `held: ${what} is ${escapeText(lease.owner)}'s (${formatRemaining(lease.remainingMs)}), ${when}`
      : `free: nobody holds ${what}, ${when}`;
    for (const note of notes) yield noteText(note, outcome);
  }
}

/** The answer of `wait` as one object. */
export function waitJson({ met, condition, waitedMs, keys }: WaitOutcome, exitCode: number): JsonObject {
  const [first] = keys;
  return {
    schema: 'mastra-lease/wait@1',
    verb: 'wait',
    status: met ? 'met' : 'timed-out',
    exitCode,
    until: condition.until,
    ...(condition.until === 'owner' && { untilOwner: escapeText(condition.owner) }),
    waitedMs,
    keys: keys.map(({ key, thread, status, lease, atMs, notes, ...rest }) => ({
      ...(key === undefined ? { key: null, thread: escapeText(thread ?? '') } : keyFields(key)),
      status,
      ...(lease && leaseFields(lease, atMs)),
      notes: notes.map((note) =>
        noteText(note, { ...rest, ...(key !== undefined && { key }), status, atMs, notes }),
      ),
    })),
    ...(first && { source: sourceFields(first.source), at: formatInstant(first.atMs) }),
  };
}
