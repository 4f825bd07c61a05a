import type { BackendSource } from '../lease/backend.js';
import { AmbiguousKeyError, isLeaseError } from '../lease/errors.js';
import type { SeenLease } from '../lease/inspector.js';
import { type KeyParts, parseKey } from '../lease/key.js';
import { parseOwner } from '../lease/owner.js';
import { escapeText } from '../lease/text.js';
import type { ListEnd, ListedLease } from '../operations/list-leases.js';
import type { KeyOutcome, LaterLook } from '../operations/outcome.js';
import type { Work } from '../operations/quiet-guard.js';
import { formatInstant } from './durations.js';
import { isCaution, noteText } from './note-text.js';
import { printable } from './printable.js';

/** A JSON object as it is printed, one a line. Keys, owners and ids are in their written form, as arguments take them. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The answer of a verb for one key. */
export function outcomeJson(outcome: KeyOutcome, exitCode: number): JsonObject {
  const { verb, status, key, thread, lease, previousOwner, dryRun, readBack, notes, source, atMs } = outcome;
  const { work, later } = outcome;
  return {
    schema: 'mastra-lease/outcome@1',
    verb,
    status,
    exitCode,
    ...(key === undefined ? { key: null, thread: escapeText(thread ?? '') } : keyFields(key)),
    ...(lease && leaseFields(lease, atMs)),
    ...(previousOwner !== undefined && { previousOwner: escapeText(previousOwner) }),
    ...(work && { work: workFields(work) }),
    ...(later && { later: laterFields(later, atMs) }),
    ...(dryRun && { dryRun }),
    ...(readBack && { readBack }),
    notes: notes.filter((note) => !isCaution(note)).map((note) => noteText(note, outcome)),
    cautions: notes.filter(isCaution).map((note) => noteText(note, outcome)),
    source: sourceFields(source),
    at: formatInstant(atMs),
  };
}

/** Why a thread's run is not taken to be quiet. */
function workFields(work: Work): JsonObject {
  const sign = { sign: work.kind, ageMs: Math.floor(work.ageMs) };
  return work.kind === 'event' ? { ...sign, type: printable(work.type), isEnded: work.isEnded } : sign;
}

/** A look some time after a write. */
function laterFields(later: LaterLook, atMs: number): JsonObject {
  const { afterMs } = later;
  if ('error' in later) return { afterMs, error: errorFields(later.error) };
  const { lease, isBack } = later;
  return { afterMs, isBack, ...(lease && leaseFields(lease, atMs + afterMs)) };
}

/** One lease of a listing. */
export function listedLeaseJson(lease: ListedLease, atMs: number): JsonObject {
  const { health, assumedTtlMs } = lease;
  return {
    schema: 'mastra-lease/lease@1',
    ...keyFields(lease.key, lease.parts),
    ...(lease.keyHex !== undefined && { keyHex: lease.keyHex }),
    ...leaseFields(lease, atMs),
    health,
    ...(assumedTtlMs !== undefined && { healthInferredFromTtlMs: assumedTtlMs }),
  };
}

/** The last line of a listing: how many, and whether that is all. */
export function listEndJson(
  { complete, error, total, matched, source, atMs }: ListEnd,
  exitCode: number,
): JsonObject {
  return {
    schema: 'mastra-lease/list-end@1',
    complete,
    total,
    matched,
    exitCode,
    ...(error && { error: errorFields(error) }),
    source: sourceFields(source),
    at: formatInstant(atMs),
  };
}

/** What an error is about. */
export interface ErrorContext {
  readonly verb?: string | undefined;
  readonly source?: BackendSource | undefined;
  /** The one of several keys that it is about. */
  readonly key?: string | undefined;
  /** Whether a write was under way when the command was ended: it may have been sent, and may still happen. */
  readonly mayHaveWritten?: boolean | undefined;
}

/** A command, or the part of it about a key, that ended without an answer. */
export function errorJson(
  error: Error,
  exitCode: number,
  { verb, source, key, mayHaveWritten }: ErrorContext,
): JsonObject {
  return {
    schema: 'mastra-lease/error@1',
    ...(verb !== undefined && { verb }),
    exitCode,
    ...(key !== undefined && keyFields(key)),
    error: errorFields(error),
    ...(mayHaveWritten && { mayHaveWritten }),
    ...(source && { source: sourceFields(source) }),
  };
}

/** An error's code, message and remedy. */
export function errorFields(error: Error): JsonObject {
  const code = isLeaseError(error) ? error.code : 'code' in error ? String(error.code) : 'ERR_INTERNAL';
  const remedy = isLeaseError(error) ? error.remedy : undefined;
  return {
    code,
    message: printable(error.message),
    ...(remedy !== undefined && { remedy: printable(remedy) }),
    ...(error instanceof AmbiguousKeyError && {
      candidates: error.candidates.map((lease) => ({
        ...keyFields(lease.key),
        owner: escapeText(lease.owner),
      })),
    }),
  };
}

/** The written key, and what it is made of. */
export function keyFields(key: string, parts: KeyParts = parseKey(key)): JsonObject {
  const { kind } = parts;
  const fields: Record<string, string> = { key: escapeText(key), kind };
  if (kind === 'other') return fields;
  for (const [name, value] of Object.entries(parts)) if (name !== 'kind') fields[name] = escapeText(value);
  return fields;
}

/** Owner and time left. The instant of expiry is inferred: this host's clock plus the time left. */
export function leaseFields({ owner, ownerHex, remainingMs }: SeenLease, atMs: number): JsonObject {
  const parts = parseOwner(owner);
  return {
    owner: escapeText(owner),
    ...(ownerHex !== undefined && { ownerHex }),
    ...(parts.kind === 'thread-owner' && {
      ownerRun: escapeText(parts.runId),
      ownerProcess: escapeText(parts.process),
    }),
    ...(remainingMs !== undefined && { remainingMs }),
    ...(typeof remainingMs === 'number' && {
      expiresAt: formatInstant(atMs + remainingMs),
      inferred: ['expiresAt'],
    }),
  };
}

/** Where an answer came from. */
export function sourceFields({ backend, server, keyPrefix, ...rest }: BackendSource): JsonObject {
  return {
    backend: printable(backend),
    ...(server !== undefined && { server: printable(server) }),
    ...(keyPrefix !== undefined && { keyPrefix: escapeText(keyPrefix) }),
    ...rest,
  };
}
