import { Buffer } from 'node:buffer';
import { UnexpectedReplyError } from '../../lease/errors.js';
import type { Lease, LeaseReport } from '../../lease/inspector.js';
import { ReplyFailure } from './reply-failure.js';

/** What a server said of itself in the round trip of a command. */
export interface ServerView {
  /** `unverified`: the server did not say (a proxy, or Redis before 6). */
  readonly role: 'primary' | 'replica' | 'unverified';
  readonly mode?: string;
  readonly version?: string;
}

const UNVERIFIED: ServerView = { role: 'unverified' };

/** Reads HELLO's reply. A refusal or anything unknown leaves the role unverified. */
export function readHello(reply: unknown): ServerView {
  if (reply instanceof ReplyFailure || !Array.isArray(reply)) return UNVERIFIED;
  const fields = new Map<string, string>();
  for (let i = 0; i + 1 < reply.length; i += 2) {
    const value: unknown = reply[i + 1];
    if (typeof value !== 'object' || Buffer.isBuffer(value)) fields.set(String(reply[i]), String(value));
  }
  const role = fields.get('role');
  const mode = fields.get('mode');
  const version = fields.get('version');
  return {
    role:
      role === 'master' || role === 'primary'
        ? 'primary'
        : role === 'replica' || role === 'slave'
          ? 'replica'
          : 'unverified',
    ...(mode === undefined ? {} : { mode }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Reads what the acquire, release, renew and transfer scripts return. */
export function readReport(command: string, reply: unknown): LeaseReport {
  if (Array.isArray(reply)) {
    const [status, owner, pttl]: unknown[] = reply;
    const done = status === 1 || status === 2;
    if ((done || status === 0) && owner === undefined) return { done };
    if ((done || status === 0) && Buffer.isBuffer(owner) && typeof pttl === 'number') {
      return {
        done,
        holder: owner.toString(),
        remainingMs: remainingFrom(pttl),
        ...(done && command === 'acquire' && { refreshed: status === 2 }),
      };
    }
  }
  throw unexpected(command, reply);
}

/** Whether a reply of those scripts says that a lease was changed. */
export function hasChanged(reply: unknown): boolean {
  return Array.isArray(reply) && (reply[0] === 1 || reply[0] === 2);
}

/** Reads `{ owner, PTTL }`; `undefined` for a key that nobody holds, or whose lease just ended. */
export function readOwnerAndTtl(command: string, key: string, reply: unknown): Lease | undefined {
  if (Array.isArray(reply)) {
    const [owner, pttl]: unknown[] = reply;
    if (owner === undefined || owner === null) return undefined;
    if (Buffer.isBuffer(owner) && typeof pttl === 'number') {
      return pttl === -2 ? undefined : { key, ...decodeOwner(owner), remainingMs: remainingFrom(pttl) };
    }
  }
  throw unexpected(command, reply);
}

/** Reads a plain GET. */
export function readOwner(command: string, reply: unknown): string | undefined {
  if (reply === null || reply === undefined) return undefined;
  if (Buffer.isBuffer(reply)) return reply.toString();
  throw unexpected(command, reply);
}

/** PTTL's answer for a key that exists: -1 is no expiry, and 0 the last, begun millisecond, which counts as one. */
function remainingFrom(pttl: number): number | null {
  return pttl === -1 ? null : Math.max(1, pttl);
}

/** An owner's bytes as text, with their hex where they are not UTF-8. */
function decodeOwner(bytes: Buffer): Pick<Lease, 'owner' | 'ownerHex'> {
  const owner = bytes.toString();
  return isExact(owner, bytes) ? { owner } : { owner, ownerHex: bytes.toString('hex') };
}

/** A key's bytes as text, with their hex where they are not UTF-8. */
export function decodeKey(bytes: Buffer): Pick<Lease, 'key' | 'keyHex'> {
  const key = bytes.toString();
  return isExact(key, bytes) ? { key } : { key, keyHex: bytes.toString('hex') };
}

/** The error for a reply whose shape no script of ours returns. */
export function unexpected(command: string, reply: unknown): UnexpectedReplyError {
  const shape = Array.isArray(reply) ? `an array of ${reply.length}` : reply === null ? 'null' : typeof reply;
  return new UnexpectedReplyError(`${command} was answered with ${shape}, which it never returns`, {
    remedy: 'is there a proxy between, or another kind of server?',
  });
}

function isExact(text: string, bytes: Buffer): boolean {
  return !text.includes('\ufffd') || Buffer.from(text).equals(bytes);
}
