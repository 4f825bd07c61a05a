import type { SQLOutputValue } from 'node:sqlite';
import { UnexpectedReplyError } from '../../lease/errors.js';
import type { Lease } from '../../lease/inspector.js';

/** What a statement answers for one row. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

// The byte order mark is a character like any other: dropping it would merge two keys.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text as it is stored. Callers have made sure that it is well formed, so no two texts become one. */
export function toBytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** The text of a stored value, for display only when `hex` says that the bytes are no UTF-8. */
export function toText(bytes: Uint8Array): { readonly text: string; readonly hex?: string } {
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    const buffer = Buffer.from(bytes);
    return { text: buffer.toString('utf8'), hex: buffer.toString('hex') };
  }
}

/** A row as a lease at the instant `nowMs`; `undefined` when it has expired. */
export function toLease(row: Row, nowMs: number): Lease | undefined {
  const remainingMs = numberIn(row, 'expires_at') - nowMs;
  if (remainingMs <= 0) return undefined;
  const key = toText(bytesIn(row, 'key'));
  const owner = toText(bytesIn(row, 'owner'));
  return {
    key: key.text,
    owner: owner.text,
    remainingMs,
    ...(key.hex === undefined ? {} : { keyHex: key.hex }),
    ...(owner.hex === undefined ? {} : { ownerHex: owner.hex }),
  };
}

export function bytesIn(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (value instanceof Uint8Array) return value;
  throw new UnexpectedReplyError(`Expected bytes as ${column} of a lease, got ${typeof value}`);
}

export function numberIn(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  throw new UnexpectedReplyError(`Expected a number as ${column} of a lease, got ${typeof value}`);
}
