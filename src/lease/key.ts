import { InvalidKeyError, InvalidOwnerError } from './errors.js';

/**
 * What a key is for, read off the forms that Mastra's runtime writes. A key of no known form is `other`: its text is
 * all there is to say.
 */
export type KeyParts =
  | ThreadParts
  | (ThreadIds & { readonly kind: 'claim' })
  | { readonly kind: 'recovery' | 'execution'; readonly agent: string; readonly run: string }
  | { readonly kind: 'step'; readonly run: string; readonly event: string }
  | { readonly kind: 'notification'; readonly resource: string }
  | { readonly kind: 'schedule'; readonly schedule: string }
  | { readonly kind: 'other'; readonly text: string };

/** A thread's two ids. The resource may be empty. */
export interface ThreadIds {
  readonly resource: string;
  readonly thread: string;
}

/** The parts of a runtime's thread key. */
export interface ThreadParts extends ThreadIds {
  readonly kind: 'thread';
}

/** A kind of key. */
export type KeyKind = KeyParts['kind'];

/** All kinds of key. */
export const KEY_KINDS = [
  'thread',
  'claim',
  'recovery',
  'execution',
  'step',
  'notification',
  'schedule',
  'other',
] as const satisfies readonly KeyKind[];

const CLAIM_PREFIX = 'thread-claim:';
const DURABLE_PREFIX = {
  recovery: 'mastra:durable-agent-recovery:v1:',
  execution: 'mastra:durable-agent-execution:v1:',
} as const;
const STEP_PREFIX = 'workflow-step-run:';
const NOTIFICATION_PREFIX = 'notification-dispatch:';
const SCHEDULE_PREFIX = 'schedule:';

/**
 * The runtime's key of a thread: `resource + NUL + thread`.
 *
 * @example
 * ```ts
 * import { threadKey } from 'mastra-lease';
 *
 * threadKey({ resource: 'user-42', thread: 't-1' }); // => 'user-42\0t-1'
 * ```
 */
export function threadKey({ resource, thread }: ThreadIds): string {
  return `${resource}\0${thread}`;
}

/**
 * Takes a key apart. {@link formatKey} puts any result together again, to the same string.
 *
 * @example
 * ```ts
 * import { parseKey } from 'mastra-lease';
 *
 * parseKey('user-42\0t-1'); // => { kind: 'thread', resource: 'user-42', thread: 't-1' }
 * parseKey('schedule:nightly'); // => { kind: 'schedule', schedule: 'nightly' }
 * parseKey('deploy'); // => { kind: 'other', text: 'deploy' }
 * ```
 */
export function parseKey(key: string): KeyParts {
  if (key.startsWith(CLAIM_PREFIX)) {
    const ids = splitThreadKey(key.slice(CLAIM_PREFIX.length));
    if (ids) return { kind: 'claim', ...ids };
  }
  const ids = splitThreadKey(key);
  if (ids) return { kind: 'thread', ...ids };
  for (const kind of ['recovery', 'execution'] as const) {
    const pair = key.startsWith(DURABLE_PREFIX[kind]) && readPair(key.slice(DURABLE_PREFIX[kind].length));
    if (pair) return { kind, agent: pair[0], run: pair[1] };
  }
  if (key.startsWith(STEP_PREFIX)) {
    const rest = key.slice(STEP_PREFIX.length);
    const colon = rest.indexOf(':');
    if (colon >= 0) return { kind: 'step', run: rest.slice(0, colon), event: rest.slice(colon + 1) };
  }
  if (key.startsWith(NOTIFICATION_PREFIX)) {
    return { kind: 'notification', resource: key.slice(NOTIFICATION_PREFIX.length) };
  }
  if (key.startsWith(SCHEDULE_PREFIX)) {
    return { kind: 'schedule', schedule: key.slice(SCHEDULE_PREFIX.length) };
  }
  return { kind: 'other', text: key };
}

/**
 * Puts a key together from its parts.
 *
 * @example
 * ```ts
 * import { formatKey } from 'mastra-lease';
 *
 * formatKey({ kind: 'claim', resource: 'user-42', thread: 't-1' }); // => 'thread-claim:user-42\0t-1'
 * ```
 */
export function formatKey(parts: KeyParts): string {
  switch (parts.kind) {
    case 'thread':
      return threadKey(parts);
    case 'claim':
      return CLAIM_PREFIX + threadKey(parts);
    case 'recovery':
    case 'execution':
      return DURABLE_PREFIX[parts.kind] + JSON.stringify([parts.agent, parts.run]);
    case 'step':
      return `${STEP_PREFIX}${parts.run}:${parts.event}`;
    case 'notification':
      return NOTIFICATION_PREFIX + parts.resource;
    case 'schedule':
      return SCHEDULE_PREFIX + parts.schedule;
    case 'other':
      return parts.text;
  }
}

/**
 * Whether a thread's ids cannot be told apart for certain: the key has a second NUL, so one of the ids held one, and
 * the split at the first is a guess.
 *
 * @example
 * ```ts
 * import { isAmbiguousThread, parseKey } from 'mastra-lease';
 *
 * const parts = parseKey('a\0b\0c'); // => { kind: 'thread', resource: 'a', thread: 'b\0c' }
 * parts.kind === 'thread' && isAmbiguousThread(parts); // => true
 * ```
 */
export function isAmbiguousThread(ids: ThreadIds): boolean {
  return ids.thread.includes('\0');
}

/** @throws {@link InvalidKeyError} when `key` is empty or would merge with another key in UTF-8. */
export function assertKey(key: string): string {
  if (typeof key !== 'string') throw new InvalidKeyError(`Expected a key as a string, got ${typeof key}`);
  if (key === '') throw new InvalidKeyError('Expected a key, got an empty one');
  if (!key.isWellFormed()) {
    throw new InvalidKeyError(
      'The key has half of a surrogate pair: stored as UTF-8 it would merge with others',
    );
  }
  return key;
}

/** @throws {@link InvalidOwnerError} when `owner` is empty or would merge with another owner in UTF-8. */
export function assertOwner(owner: string): string {
  if (typeof owner !== 'string')
    throw new InvalidOwnerError(`Expected an owner as a string, got ${typeof owner}`);
  if (owner === '') throw new InvalidOwnerError('Expected an owner, got an empty one');
  if (!owner.isWellFormed()) {
    throw new InvalidOwnerError(
      'The owner has half of a surrogate pair: stored as UTF-8 it would merge with others',
    );
  }
  return owner;
}

function splitThreadKey(key: string): ThreadIds | undefined {
  const nul = key.indexOf('\0');
  return nul < 0 ? undefined : { resource: key.slice(0, nul), thread: key.slice(nul + 1) };
}

/** Reads `["a","b"]`, only in the one form that `JSON.stringify` writes, so that the key can be rebuilt exactly. */
function readPair(json: string): [string, string] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [first, second]: unknown[] = value;
  if (typeof first !== 'string' || typeof second !== 'string') return undefined;
  return JSON.stringify(value) === json ? [first, second] : undefined;
}
