import type { BackendSource } from '../lease/backend.js';
import { escapeText } from '../lease/text.js';
import type { LeaseEvent, SnapshotEvent, WatchEvent, WatchedLease } from '../operations/watch-event.js';
import { formatInstant } from './durations.js';
import { type JsonObject, keyFields, leaseFields, sourceFields } from './json.js';
import { printable } from './printable.js';

/** The schema of every line of an event stream. */
export const EVENT_SCHEMA = 'mastra-lease/event@1';

/** How many leases one line of a snapshot holds at most. */
const LEASES_PER_LINE = 1_000;

/** An event as the lines of a stream: one, or for a large snapshot several, numbered by `part` of `parts`. */
export function* eventJson(event: WatchEvent, source: BackendSource): Generator<JsonObject> {
  const { type, atMs } = event;
  const head = { schema: EVENT_SCHEMA, type, at: formatInstant(atMs) };
  switch (type) {
    case 'snapshot':
      yield* snapshotJson(event, head, source);
      return;
    case 'backend-up': {
      const { how, intervalMs, commandsPerSecond, why } = event;
      yield {
        ...head,
        how,
        ...(intervalMs !== undefined && { intervalMs }),
        commandsPerSecond,
        ...(why !== undefined && { why: printable(why) }),
        source: sourceFields(source),
      };
      return;
    }
    case 'backend-down': {
      const { reason, remedy } = event;
      yield {
        ...head,
        reason: printable(reason),
        ...(remedy !== undefined && { remedy: printable(remedy) }),
        source: sourceFields(source),
      };
      return;
    }
    default:
      yield { ...head, ...leaseEventFields(event) };
  }
}

function* snapshotJson(
  { leases, atMs }: SnapshotEvent,
  head: JsonObject,
  source: BackendSource,
): Generator<JsonObject> {
  const parts = Math.max(1, Math.ceil(leases.length / LEASES_PER_LINE));
  for (let part = 1; part <= parts; part += 1) {
    const end = part * LEASES_PER_LINE;
    yield {
      ...head,
      part,
      parts,
      total: leases.length,
      leases: leases.slice(end - LEASES_PER_LINE, end).map((lease) => watchedLeaseFields(lease, atMs)),
      source: sourceFields(source),
    };
  }
}

function watchedLeaseFields(lease: WatchedLease, atMs: number): JsonObject {
  const { key, keyHex, health, assumedTtlMs } = lease;
  return {
    ...keyFields(key),
    ...(keyHex !== undefined && { keyHex }),
    ...leaseFields(lease, atMs),
    ...(health !== undefined && { health }),
    ...(assumedTtlMs !== undefined && { healthInferredFromTtlMs: assumedTtlMs }),
  };
}

/** What `inferred` names was not seen but concluded: that it happened so (`type`), when it ends. */
function leaseEventFields(event: LeaseEvent): JsonObject {
  const { key, keyHex, previousOwner, isInferred, atMs } = event;
  const inferred = [
    ...(isInferred ? ['type'] : []),
    ...(typeof event.remainingMs === 'number' ? ['expiresAt'] : []),
  ];
  return {
    ...keyFields(key),
    ...(keyHex !== undefined && { keyHex }),
    ...leaseFields(event, atMs),
    ...(previousOwner !== undefined && { previousOwner: escapeText(previousOwner) }),
    ...(inferred.length > 0 && { inferred }),
  };
}

/** The schema of a recording's first line. */
export const RECORDING_SCHEMA = 'mastra-lease/recording@1';

/** The first line of a recording; the lines of the event stream follow. */
export function recordingHeadJson(version: string, startedAtMs: number, source: BackendSource): JsonObject {
  return {
    schema: RECORDING_SCHEMA,
    version,
    startedAt: formatInstant(startedAtMs),
    source: sourceFields(source),
  };
}
