import { buffer } from 'node:stream/consumers';
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

/** Reads the keys of a command that takes several: positional ones, or `-` for NDJSON on stdin. */
export async function readKeyRequests(
  written: readonly string[],
  options: KeyOptions,
  { stdin }: Pick<CliIo, 'stdin'>,
): Promise<KeyRequest[]> {
  if (!written.includes('-')) {
    if (written.length < 2) return [readKeyRequest(written[0], options)];
    if (options.thread !== undefined || options.resource !== undefined) throw twoKeys();
    return written.map((key) => readKeyRequest(key, options));
  }
  if (written.length > 1) throw new UsageError('Expected - alone: it reads the keys from stdin');
  if (options.thread !== undefined || options.resource !== undefined) throw twoKeys();
  const rows = readKeyLines(decodeUtf8(await buffer(stdin)));
  if (rows.length === 0)
    throw new UsageError(
      'Expected keys on stdin, one JSON object a line as list --json prints them, got none',
    );
  return rows.map(({ key, owner }) => ({
    ...readKeyRequest(key, options),
    ...(owner !== undefined && { owner: parseWritten(owner, 'The owner on stdin') }),
  }));
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

/** A key whose bytes were replaced on the way would be another key. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('Expected keys on stdin as UTF-8, got bytes that are not');
  }
}

/** The written keys of NDJSON lines, each with its owner where it names one; the line that ends a listing has none. */
function readKeyLines(input: string): { readonly key: string; readonly owner?: string }[] {
  return input.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    if (typeof value === 'object' && value !== null) {
      if ('keyHex' in value)
        throw new UsageError(`stdin line ${index + 1}: the key is not UTF-8 and cannot be named`);
      if ('key' in value && typeof value.key === 'string') {
        const { key } = value;
        return 'owner' in value && typeof value.owner === 'string'
          ? [{ key, owner: value.owner }]
          : [{ key }];
      }
      if ('complete' in value) return [];
    }
    const got = printable(line.slice(0, 40));
    throw new UsageError(
      `Expected a JSON object with a key on stdin line ${index + 1}, as list --json prints, got "${got}"`,
    );
  });
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
