import type { Buffer } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { InvalidKeyError } from '../lease/errors.js';
import type { KeyRequest } from '../operations/resolve-key.js';
import { printable } from '../output/printable.js';
import type { CliIo } from './io.js';
import { type KeyOptions, parseKeyArgument, parseWritten } from './options.js';
import { UsageError } from './usage-error.js';

/** Reads the one key that a command acts on: a positional one, or a thread's ids. */
export function readKeyRequest(written: string | undefined, options: KeyOptions): KeyRequest {
  const thread = readThread(options);
  if (thread && written !== undefined) throw twoKeys();
  if (thread) return thread;
  if (written === undefined) throw new UsageError('Expected a key, or --thread with --resource, got neither');
  return { by: 'key', key: parseKeyArgument(written), ...(options.literal && { literal: true }) };
}

/** A line on stdin that names no key, which is its own failure and none of the other lines'. */
export interface RefusedLine {
  readonly by: 'nothing';
  /** The key as far as it can be written: `hex:…` for bytes that are no text. */
  readonly written: string;
  readonly error: InvalidKeyError;
}

/**
 * Reads the keys of a command that takes several: positional ones, or `-` for NDJSON on stdin. A line that names no key
 * refuses them all.
 */
export async function readKeyRequests(
  written: readonly string[],
  options: KeyOptions,
  io: Pick<CliIo, 'stdin'>,
): Promise<KeyRequest[]> {
  const lines = await readKeysOrRefusals(written, options, io);
  return lines.map((line) => {
    if (line.by === 'nothing') throw line.error;
    return line;
  });
}

/** The same for a command that answers for each key by itself; the first line is refused where no line names a key. */
export async function readKeysOrRefusals(
  written: readonly string[],
  options: KeyOptions,
  io: Pick<CliIo, 'stdin'>,
): Promise<(KeyRequest | RefusedLine)[]> {
  if (!written.includes('-')) {
    if (written.length < 2) return [readKeyRequest(written[0], options)];
    if (options.thread !== undefined || options.resource !== undefined) throw twoKeys();
    return written.map((key) => readKeyRequest(key, options));
  }
  if (written.length > 1) throw new UsageError('Expected - alone: it reads the keys from stdin');
  if (options.thread !== undefined || options.resource !== undefined) throw twoKeys();
  const lines = splitLines(await buffer(io.stdin)).flatMap((line, index) =>
    readKeyLine(line, index + 1, options),
  );
  const [first] = lines;
  if (first === undefined)
    throw new UsageError(
      'Expected keys on stdin, one JSON object a line as list --json prints them, got none',
    );
  if (first.by === 'nothing' && lines.every(({ by }) => by === 'nothing')) throw first.error;
  return lines;
}

function readThread({ thread, resource, literal }: KeyOptions): KeyRequest | undefined {
  if (thread === undefined) {
    if (resource !== undefined)
      throw new UsageError('Expected --thread with --resource: a resource alone names no lease');
    return undefined;
  }
  if (literal) throw new UsageError('Expected --literal with a key, got --thread');
  const id = parseWritten(thread, '--thread');
  if (id === '' && resource === undefined)
    throw new UsageError('Expected a thread id after --thread, got an empty one');
  return {
    by: 'thread',
    thread: id,
    ...(resource !== undefined && { resource: parseWritten(resource, '--resource') }),
  };
}

/** The lines of a text, each decoded by itself: a key whose bytes were replaced on the way would be another key. */
export function splitLines(bytes: Buffer): readonly (string | undefined)[] {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const lines: (string | undefined)[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start);
    const line = bytes.subarray(start, end < 0 ? undefined : end);
    start += line.length + 1;
    try {
      lines.push(decoder.decode(line));
    } catch {
      lines.push(undefined);
    }
  }
  return lines;
}

/** What a line asks about; nothing for an empty one, and for the line that ends a listing. */
export function readKeyLine(
  line: string | undefined,
  number: number,
  options: KeyOptions,
): readonly (KeyRequest | RefusedLine)[] {
  const refuse = (written: string, message: string): readonly [RefusedLine] => [
    { by: 'nothing', written, error: new InvalidKeyError(message) },
  ];
  if (line === undefined)
    return refuse('-', `Expected keys on stdin as UTF-8, got bytes that are not on line ${number}`);
  if (line.trim() === '') return [];
  const value = parseJson(line);
  if (typeof value === 'object' && value !== null) {
    if ('keyHex' in value) {
      const written = `hex:${printable(String(value.keyHex))}`;
      return refuse(written, `stdin line ${number}: the key is not UTF-8 and cannot be named`);
    }
    if ('key' in value && typeof value.key === 'string') {
      const { key } = value;
      const owner = 'owner' in value && typeof value.owner === 'string' ? value.owner : undefined;
      try {
        const named = owner === undefined ? {} : { owner: parseWritten(owner, 'The owner on stdin') };
        return [{ ...readKeyRequest(key, options), ...named }];
      } catch (error) {
        if (!(error instanceof UsageError || error instanceof InvalidKeyError)) throw error;
        return refuse(printable(key), `stdin line ${number}: ${error.message}`);
      }
    }
    if ('complete' in value) return [];
  }
  const got = printable(line.slice(0, 40));
  return refuse(
    '-',
    `Expected a JSON object with a key on stdin line ${number}, as list --json prints, got "${got}"`,
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function twoKeys(): UsageError {
  return new UsageError('Expected one way of naming the key, got both a key and --thread or --resource');
}
