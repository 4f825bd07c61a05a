import type { BackendSource } from '../lease/backend.js';
import { escapeText } from '../lease/text.js';
import type { KnownHolder, WriteEnd, WriteIntent } from '../operations/write-log.js';
import { formatInstant } from './durations.js';
import { errorFields, type JsonObject, keyFields, sourceFields } from './json.js';
import { describeKey } from './key-words.js';
import { printable } from './printable.js';

/** A write and what came of it, with who sent it, where to, when and why. */
export interface AuditEntry extends WriteIntent, WriteEnd {
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
  const { verb, key, before, wanted, after, outcome, readBack, error } = entry;
  const { user, host, reason, atMs, source } = entry;
  return {
    schema: 'mastra-lease/audit@1',
    at: formatInstant(atMs),
    user: printable(user),
    host: printable(host),
    ...(reason !== undefined && { reason: printable(reason) }),
    verb,
    ...keyFields(key),
    ...(before && { before: holderFields(before) }),
    wanted: wanted && holderFields(wanted),
    ...(after !== undefined && { after: after && holderFields(after) }),
    outcome,
    ...(readBack && { readBack }),
    ...(error && { error: errorFields(error) }),
    source: sourceFields(source),
  };
}

/** A write in a line for people. */
export function auditText(entry: AuditEntry): string {
  const { verb, key, before, after, wanted, outcome, user, host, reason } = entry;
  const from = before === undefined ? '' : ` from ${holderWord(before)}`;
  const to = after === undefined ? '' : `, now ${holderWord(after)}`;
  const hoped = outcome === 'unknown' && wanted ? ` for ${holderWord(wanted)}` : '';
  const why = reason === undefined ? '' : ` · ${printable(reason)}`;
  return `audit: ${printable(`${user}@${host}`)} ${verb} ${describeKey(key)}${from}${hoped}: ${outcome}${to}${why}`;
}

/** A write of which nobody will hear any more. */
export function unansweredText({ verb, key, wanted }: WriteIntent): string {
  const owner = wanted === null ? '' : ` for ${holderWord(wanted)}`;
  return `a write may have been sent (${verb} ${describeKey(key)}${owner}): read the lease before trying again`;
}

function holderFields({ owner, remainingMs }: KnownHolder): JsonObject {
  return { owner: escapeText(owner), ...(remainingMs !== undefined && { remainingMs }) };
}

function holderWord(holder: KnownHolder | null): string {
  if (holder === null) return "nobody's";
  return holder.owner === '' ? "''" : escapeText(holder.owner);
}
