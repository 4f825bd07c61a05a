import type { BackendSource } from '../../lease/backend.js';
import { HEALTHS } from '../../lease/health.js';
import { unescapeText } from '../../lease/text.js';
import {
  LEASE_EVENTS,
  type LeaseEvent,
  type WatchEvent,
  type WatchedLease,
} from '../../operations/watch-event.js';
import { EVENT_SCHEMA, RECORDING_SCHEMA } from '../../output/watch-json.js';

/** A line is not what it should be. */
export class BadLineError extends Error {
  /** What was expected instead. */
  readonly expected: string;

  constructor(expected: string) {
    super(`Expected ${expected}`);
    this.name = 'BadLineError';
    this.expected = expected;
  }
}

/** The first line of a recording. */
export interface RecordingHead {
  readonly startedAtMs: number;
  readonly source: BackendSource;
}

/** One line of a snapshot, which may be told in several. */
export interface SnapshotPart {
  readonly type: 'snapshot-part';
  readonly atMs: number;
  readonly part: number;
  readonly parts: number;
  readonly leases: readonly WatchedLease[];
}

type Fields = Readonly<Record<string, unknown>>;

/** @throws {@link BadLineError} */
export function parseHead(line: unknown): RecordingHead {
  const fields = fieldsOf(line, 'a recording');
  const { schema } = fields;
  if (schema !== RECORDING_SCHEMA) {
    throw new BadLineError(
      typeof schema === 'string' && schema.startsWith('mastra-lease/recording@')
        ? `${RECORDING_SCHEMA}: this is from another version`
        : `the head of a recording, as watch --record writes it (${RECORDING_SCHEMA})`,
    );
  }
  return { startedAtMs: instant(fields, 'startedAt'), source: sourceOf(fields) };
}

/** @throws {@link BadLineError} */
export function parseEvent(line: unknown): Exclude<WatchEvent, { type: 'snapshot' }> | SnapshotPart {
  const fields = fieldsOf(line, 'an event');
  if (fields.schema !== EVENT_SCHEMA) throw new BadLineError(`an event (${EVENT_SCHEMA})`);
  const { type } = fields;
  const atMs = instant(fields, 'at');
  switch (type) {
    case 'snapshot':
      return {
        type: 'snapshot-part',
        atMs,
        part: count(fields, 'part'),
        parts: count(fields, 'parts'),
        leases: list(fields, 'leases').map(parseWatchedLease),
      };
    case 'backend-up': {
      const { how } = fields;
      if (how !== 'pushed' && how !== 'polling') throw new BadLineError('how as pushed or polling');
      const why = optional(fields, 'why', text);
      const intervalMs = optional(fields, 'intervalMs', milliseconds);
      const commandsPerSecond = milliseconds(fields, 'commandsPerSecond');
      return {
        type,
        atMs,
        how,
        ...(intervalMs !== undefined && { intervalMs }),
        commandsPerSecond,
        ...(why !== undefined && { why }),
      };
    }
    case 'backend-down': {
      const remedy = optional(fields, 'remedy', text);
      return { type, atMs, reason: text(fields, 'reason'), ...(remedy !== undefined && { remedy }) };
    }
    default: {
      const known = LEASE_EVENTS.find((name) => name === type);
      if (known === undefined) throw new BadLineError('a type of event that is known');
      return parseLeaseEvent(known, atMs, fields);
    }
  }
}

function parseLeaseEvent(type: LeaseEvent['type'], atMs: number, fields: Fields): LeaseEvent {
  const previousOwner = optional(fields, 'previousOwner', written);
  return {
    type,
    atMs,
    ...leaseOf(fields),
    ...(previousOwner !== undefined && { previousOwner }),
    ...(isInferred(fields) && { isInferred: true }),
  };
}

function parseWatchedLease(value: unknown): WatchedLease {
  const fields = fieldsOf(value, 'a lease');
  const lease = leaseOf(fields);
  const assumedTtlMs = optional(fields, 'healthInferredFromTtlMs', milliseconds);
  const health = HEALTHS.find((known) => known === fields.health);
  if (health === undefined && 'health' in fields)
    throw new BadLineError(`health as one of ${HEALTHS.join(', ')}`);
  return {
    ...lease,
    ...(health !== undefined && { health }),
    ...(assumedTtlMs !== undefined && { assumedTtlMs }),
  };
}

function leaseOf(fields: Fields) {
  const keyHex = optional(fields, 'keyHex', hex);
  const ownerHex = optional(fields, 'ownerHex', hex);
  const remainingMs = fields.remainingMs === null ? null : optional(fields, 'remainingMs', milliseconds);
  return {
    key: written(fields, 'key'),
    ...(keyHex !== undefined && { keyHex }),
    owner: written(fields, 'owner'),
    ...(ownerHex !== undefined && { ownerHex }),
    ...(remainingMs !== undefined && { remainingMs }),
  };
}

function isInferred(fields: Fields): boolean {
  return 'inferred' in fields && list(fields, 'inferred').includes('type');
}

/** Where a recording is from: what is not as it was written is left out. */
function sourceOf(fields: Fields): BackendSource {
  const source = fieldsOf(fields.source, 'source as an object');
  const words = (name: string) => (typeof source[name] === 'string' ? source[name] : undefined);
  const [server, provider, context] = [words('server'), words('provider'), words('context')];
  const keyPrefix = optional(source, 'keyPrefix', written);
  const role = (['primary', 'replica', 'unverified'] as const).find((known) => known === source.role);
  const scope = (['process', 'host', 'network'] as const).find((known) => known === source.scope);
  return {
    backend: text(source, 'backend'),
    foundBy: text(source, 'foundBy'),
    ...(server !== undefined && { server }),
    ...(provider !== undefined && { provider }),
    ...(context !== undefined && { context }),
    ...(keyPrefix !== undefined && { keyPrefix }),
    ...(role !== undefined && { role }),
    ...(scope !== undefined && { scope }),
  };
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new BadLineError(`${what}, as a JSON object`);
}

function optional<T>(fields: Fields, name: string, read: (fields: Fields, name: string) => T): T | undefined {
  return fields[name] === undefined ? undefined : read(fields, name);
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw new BadLineError(`${name} as a text`);
}

/** A key or an owner, in its written form. */
function written(fields: Fields, name: string): string {
  const read = unescapeText(text(fields, name));
  if ('text' in read && read.text !== '') return read.text;
  throw new BadLineError(`${name} in its written form`);
}

function hex(fields: Fields, name: string): string {
  const value = text(fields, name);
  if (/^([0-9a-f]{2})+$/.test(value)) return value;
  throw new BadLineError(`${name} in hex`);
}

function milliseconds(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new BadLineError(`${name} as a number that is not negative`);
}

function count(fields: Fields, name: string): number {
  const value = milliseconds(fields, name);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new BadLineError(`${name} as a whole number from 1`);
}

function list(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  if (Array.isArray(value)) return value;
  throw new BadLineError(`${name} as a list`);
}

function instant(fields: Fields, name: string): number {
  const value = text(fields, name);
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new BadLineError(`${name} as an instant in UTC`);
}
