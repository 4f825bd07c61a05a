import { createReadStream } from 'node:fs';
import type { WatchEvent, WatchedLease } from '../../operations/watch-event.js';
import { printable } from '../../output/printable.js';
import { UsageError } from '../usage-error.js';
import { BadLineError, parseEvent, parseHead, type RecordingHead } from './event.js';
import { type Line, readLines } from './lines.js';

/** A recording that is being read. */
export interface OpenedRecording {
  readonly head: RecordingHead;
  /** The events in the order in which they were told. Throws a {@link UsageError} that names the first bad line. */
  readonly events: AsyncGenerator<WatchEvent, void, undefined>;
}

/** Opens a recording. @throws {@link UsageError} when it cannot be read, or is none. */
export async function openRecording(path: string): Promise<OpenedRecording> {
  const name = printable(path);
  return readRecording(readFile(path, name), name);
}

/** Reads a recording from its bytes; `name` is what messages call it. */
export async function readRecording(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): Promise<OpenedRecording> {
  const lines = readLines(chunks);
  const { done, value } = await lines.next();
  const first = done ? { number: 1, text: '' } : value;
  return { head: parsed(first, name, parseHead), events: readEvents(lines, name) };
}

async function* readEvents(
  lines: AsyncIterable<Line>,
  name: string,
): AsyncGenerator<WatchEvent, void, undefined> {
  let begun: BegunSnapshot | undefined;
  let lastLine = 1;
  for await (const line of lines) {
    lastLine = line.number;
    const event = parsed(line, name, parseEvent);
    if (event.type === 'snapshot-part') {
      const snapshot = begun ?? { line: line.number, parts: event.parts, told: 0, leases: [] };
      if (event.part !== snapshot.told + 1 || event.parts !== snapshot.parts || event.part > event.parts) {
        throw bad(name, line.number, nextPart(snapshot));
      }
      for (const lease of event.leases) snapshot.leases.push(lease);
      begun = { ...snapshot, told: event.part };
      if (event.part < event.parts) continue;
      begun = undefined;
      yield { type: 'snapshot', atMs: event.atMs, leases: snapshot.leases };
    } else {
      if (begun) throw bad(name, line.number, nextPart(begun));
      yield event;
    }
  }
  if (begun) throw bad(name, lastLine + 1, nextPart(begun));
}

/** A snapshot of which some lines are still to come. */
interface BegunSnapshot {
  readonly line: number;
  readonly parts: number;
  readonly told: number;
  readonly leases: WatchedLease[];
}

function nextPart({ line, parts, told }: BegunSnapshot): string {
  return `part ${told + 1} of the ${parts} of the snapshot from line ${line}`;
}

function parsed<T>({ number, text }: Line, name: string, parse: (value: unknown) => T): T {
  if (text === undefined) throw bad(name, number, 'text in UTF-8, in a line that is not too long');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad(name, number, 'a JSON object, whole');
  }
  try {
    return parse(value);
  } catch (error) {
    if (error instanceof BadLineError) throw bad(name, number, error.expected);
    throw error;
  }
}

function bad(name: string, line: number, expected: string): UsageError {
  return new UsageError(`${name}, line ${line}: expected ${expected}`);
}

async function* readFile(path: string, name: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of createReadStream(path)) {
      if (chunk instanceof Uint8Array) yield chunk;
    }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new UsageError(`Expected a recording after --replay, got ${name} (${reason})`);
  }
}
