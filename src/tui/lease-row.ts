import type { LeaseHealth } from '../lease/health.js';
import { type KeyParts, parseKey } from '../lease/key.js';
import { leaseId } from '../lease/lease-id.js';
import type { LeaseEvent, WatchedLease } from '../operations/watch-event.js';

/** A held lease, as far as it was seen under its owner. Instants are on the clock of the events. */
export interface LeaseRow {
  /** What tells it from other leases; the key, but for keys that are no text. */
  readonly id: string;
  readonly key: string;
  readonly parts: KeyParts;
  readonly owner: string;
  /** Present where the stored bytes are no text, so that a write cannot name them. */
  readonly keyHex?: string;
  readonly ownerHex?: string;
  /** Absent where the time left cannot be read. */
  readonly health?: LeaseHealth;
  /** When it ends unless it is renewed; `null` never, absent where the time left cannot be read. */
  readonly endsAtMs?: number | null;
  /** The longest time left that was seen: its TTL, for all that is known. 0 where none was. */
  readonly longestMs: number;
  /** Since when this owner was seen. */
  readonly seenAtMs: number;
  readonly renewals: Renewals;
}

/** The renewals that were seen. */
export interface Renewals {
  readonly count: number;
  /** The last renewal, or the beginning where that was seen. */
  readonly lastAtMs?: number;
  /** The last times from one to the next. */
  readonly intervalsMs: readonly number[];
}

const NO_RENEWALS: Renewals = { count: 0, intervalsMs: [] };

const KEPT_INTERVALS = 16;

/** The row of a lease of a snapshot; what was seen of it before goes on. */
export function rowOfSnapshot(lease: WatchedLease, atMs: number, before: LeaseRow | undefined): LeaseRow {
  const { key, health, remainingMs, assumedTtlMs = 0 } = lease;
  const known = before && isSameOwner(before, lease) ? before : undefined;
  return {
    ...namesOf(lease),
    parts: before?.parts ?? parseKey(key),
    ...(health !== undefined && { health }),
    ...endsAt(remainingMs, atMs),
    longestMs: Math.max(remainingMs ?? 0, assumedTtlMs, known?.longestMs ?? 0),
    seenAtMs: known?.seenAtMs ?? atMs,
    renewals: known?.renewals ?? NO_RENEWALS,
  };
}

/** What an event makes of a lease; `undefined` when nobody holds it any more. */
export function rowAfter(event: LeaseEvent, before: LeaseRow | undefined): LeaseRow | undefined {
  const { type, key, atMs, remainingMs } = event;
  if (type === 'released' || type === 'expired') return undefined;
  const isBeginning = type === 'acquired' || type === 'transferred';
  const known = !isBeginning && before && isSameOwner(before, event) ? before : undefined;
  const health = healthAfter(event);
  return {
    ...namesOf(event),
    parts: before?.parts ?? parseKey(key),
    ...(health !== undefined && { health }),
    ...endsAt(type === 'no-expiry' ? null : remainingMs, atMs),
    longestMs: Math.max(remainingMs ?? 0, known?.longestMs ?? 0),
    seenAtMs: known?.seenAtMs ?? atMs,
    renewals: renewalsAfter(event, known, isBeginning),
  };
}

type Names = Pick<LeaseRow, 'key' | 'keyHex' | 'owner' | 'ownerHex'>;

function namesOf({ key, keyHex, owner, ownerHex }: Names): Names & Pick<LeaseRow, 'id'> {
  return {
    id: leaseId({ key, ...(keyHex !== undefined && { keyHex }) }),
    key,
    ...(keyHex !== undefined && { keyHex }),
    owner,
    ...(ownerHex !== undefined && { ownerHex }),
  };
}

function isSameOwner(a: Names, b: Names): boolean {
  return a.owner === b.owner && a.ownerHex === b.ownerHex;
}

function healthAfter({ type, remainingMs }: LeaseEvent): LeaseHealth | undefined {
  if (type === 'no-expiry' || remainingMs === null) return 'no-expiry';
  if (type === 'late') return 'late';
  return remainingMs === undefined ? undefined : 'ok';
}

function endsAt(remainingMs: number | null | undefined, atMs: number): Pick<LeaseRow, 'endsAtMs'> {
  if (remainingMs === undefined) return {};
  return { endsAtMs: remainingMs === null ? null : atMs + remainingMs };
}

function renewalsAfter(
  { type, atMs }: LeaseEvent,
  known: LeaseRow | undefined,
  isBeginning: boolean,
): Renewals {
  if (isBeginning) return { ...NO_RENEWALS, lastAtMs: atMs };
  const before = known?.renewals ?? NO_RENEWALS;
  if (type !== 'renewed') return before;
  const { count, lastAtMs, intervalsMs } = before;
  return {
    count: count + 1,
    lastAtMs: atMs,
    intervalsMs:
      lastAtMs === undefined
        ? intervalsMs
        : [...intervalsMs.slice(1 - KEPT_INTERVALS), Math.max(0, atMs - lastAtMs)],
  };
}

/** The milliseconds left at `nowMs`, never below 0; `null` for no expiry, `undefined` where it cannot be read. */
export function leftAt({ endsAtMs }: LeaseRow, nowMs: number): number | null | undefined {
  return typeof endsAtMs === 'number' ? Math.max(0, endsAtMs - nowMs) : endsAtMs;
}

/** The thread's id, or what else tells a key from others of its kind. */
export function idOf({ key, parts }: Pick<LeaseRow, 'key' | 'parts'>): string {
  switch (parts.kind) {
    case 'thread':
    case 'claim':
      return parts.thread;
    case 'recovery':
    case 'execution':
    case 'step':
      return parts.run;
    case 'schedule':
      return parts.schedule;
    case 'notification':
      return parts.resource;
    case 'other':
      return key;
  }
}

/** The resource that a lease is for; empty where its key names none. */
export function resourceOf({ parts }: Pick<LeaseRow, 'parts'>): string {
  return 'resource' in parts ? parts.resource : '';
}
