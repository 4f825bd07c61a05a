import type { BackendSource } from '../lease/backend.js';
import { isLeaseError } from '../lease/errors.js';
import { escapeText } from '../lease/text.js';
import type { KnownHolder, WriteRecord } from '../operations/write-log.js';
import { formatInstant } from './durations.js';
import { errorFields, type JsonObject, keyFields, sourceFields } from './json.js';
import { describeKey } from './key-words.js';
import { printable } from './printable.js';

/** A write, with who sent it, where to, when and why. */
export interface AuditEntry extends WriteRecord {
  readonly user: string;
  readonly host: string;
  /** What was given as `--reason`. */
  readonly reason: string | undefined;
  /** When it was over, milliseconds since the epoch on this host's clock. */
  readonly atMs: number;
  readonly source: BackendSource;
}

/** One line of an audit file. */
export function auditJson(entry: AuditEntry): JsonObject {
  const { verb, key, before, after, outcome, readBack, error, user, host, reason, atMs, source } = entry;
  return {
    schema: 'mastra-lease/audit@1',
    at: formatInstant(atMs),
    user: printable(user),
    host: printable(host),
    ...(reason !== undefined && { reason: printable(reason) }),
    verb,
    ...keyFields(key),
    ...(before && { before: holderFields(before) }),
    ...(after !== undefined && { after: after && holderFields(after) }),
    outcome: outcomeWord(entry),
    ...(outcome === 'done' && readBack && { readBack }),
    ...(error && { error: errorFields(error) }),
    source: sourceFields(source),
  };
}

/** A write in a line for people. */
export function auditText(entry: AuditEntry): string {
  const { verb, key, before, after, user, host, reason } = entry;
  const from = before === undefined ? '' : ` from ${holderWord(before)}`;
  const to = after === undefined ? '' : `, now ${holderWord(after)}`;
  const why = reason === undefined ? '' : ` · ${printable(reason)}`;
  return `audit: ${printable(`${user}@${host}`)} ${verb} ${describeKey(key)}${from}: ${outcomeWord(entry)}${to}${why}`;
}

/** What came of a write; `unknown`: it was sent and may have been done. */
export function outcomeWord({ outcome, error }: WriteRecord): string {
  const isUnknown = isLeaseError(error) && error.code === 'ERR_LEASE_OUTCOME_UNKNOWN';
  return isUnknown ? 'unknown' : outcome;
}

function holderFields({ owner, remainingMs }: KnownHolder): JsonObject {
  return { owner: escapeText(owner), ...(remainingMs !== undefined && { remainingMs }) };
}

function holderWord(holder: KnownHolder | null): string {
  if (holder === null) return "nobody's";
  return holder.owner === '' ? "''" : escapeText(holder.owner);
}
