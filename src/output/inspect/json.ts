import type { ThreadActivity, ThreadEvent, ThreadRun } from '../../lease/evidence.js';
import { lastEventAgeMs, processOf } from '../../lease/facts.js';
import { escapeText } from '../../lease/text.js';
import type { ProducingRun } from '../../lease/verdict.js';
import type { Inspected, Inspection } from '../../operations/inspect/inspect.js';
import type { ProcessGroup, VerdictCounts } from '../../operations/inspect/order.js';
import type { ListEnd } from '../../operations/list-leases.js';
import { formatInstant } from '../durations.js';
import { errorFields, type JsonObject, keyFields, leaseFields, listEndJson, sourceFields } from '../json.js';
import { printable } from '../printable.js';
import { filledLinks, type InspectSetting, stepWords } from './steps.js';
import { noteLines } from './text.js';

/** Everything about a key as one object. Ages are milliseconds by the clock that stamped the events. */
export function inspectionJson(inspected: Inspected, exitCode: number, setting: InspectSetting): JsonObject {
  const { judgement, source, atMs } = inspected;
  const { verdict, why, cannotTellForMs, runs } = judgement;
  return {
    schema: 'mastra-lease/inspect@1',
    verb: 'inspect',
    verdict,
    why: printable(why),
    ...(cannotTellForMs !== undefined && {
      cannotTellForMs,
      cannotTellBefore: formatInstant(atMs + cannotTellForMs),
    }),
    ...(runs && { about: runs.map(producingFields) }),
    exitCode,
    ...(inspected.key === undefined
      ? { key: null, thread: escapeText(inspected.thread), status: 'free' }
      : knownFields(inspected, setting)),
    notes: noteLines(inspected),
    source: sourceFields(source),
    at: formatInstant(atMs),
  };
}

function producingFields({ runId, process, lastEventAtMs }: ProducingRun): JsonObject {
  return {
    run: escapeText(runId),
    ...(process !== undefined && { process: escapeText(process) }),
    lastEventAt: formatInstant(lastEventAtMs),
  };
}

function knownFields(inspection: Inspection, setting: InspectSetting): JsonObject {
  const { facts, eventsRead, steps, atMs, evidenceError, watchError, related } = inspection;
  const { lease, renewals, evidence, activity, isPrefixUsed, ttlMs } = facts;
  const process = processOf(facts);
  const { missing } = related;
  return {
    ...keyFields(inspection.key),
    ...(lease?.keyHex !== undefined && { keyHex: lease.keyHex }),
    status: lease ? 'held' : 'free',
    ...(lease && leaseFields(lease, atMs)),
    ...(process !== undefined && { process: escapeText(process) }),
    ...(renewals && { renewals }),
    ...(watchError && { watchError: errorFields(watchError) }),
    assumedTtlMs: ttlMs,
    evidence,
    ...(evidenceError && { evidenceError: errorFields(evidenceError) }),
    ...(activity && { activity: activityFields(activity, eventsRead, lastEventAgeMs(facts)) }),
    ...(isPrefixUsed !== undefined && { isPrefixUsed }),
    related: related.leases.map(({ relation, lease: other }) => ({
      relation,
      ...keyFields(other.key),
      ...leaseFields(other, atMs),
    })),
    ...(missing && {
      relatedMissing: missing === 'unfinished' ? { code: missing } : errorFields(missing),
    }),
    next: stepWords(inspection, setting).map(({ kind, ...words }, index) => ({
      action: kind,
      ...(steps[index] && stepFields(steps[index])),
      ...words,
    })),
    links: Object.fromEntries(
      filledLinks(inspection, setting).map(([name, link]) => [escapeText(name), link]),
    ),
  };
}

/** What a step is about, as far as its words do not say it in a form of their own. */
function stepFields(step: Inspection['steps'][number]): JsonObject {
  const { kind: _, ...fields } = step;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name === 'runId' ? 'run' : name,
      typeof value === 'string' ? escapeText(value) : value,
    ]),
  );
}

function activityFields(activity: ThreadActivity, eventsRead: number, quiet: number | undefined): JsonObject {
  const { stream, nowMs, clock, length, events, isWhole, runs, waiting, groups, pending, bytes, unreadable } =
    activity;
  const last = events.at(-1);
  return {
    stream: escapeText(stream),
    length,
    ...(bytes !== undefined && { bytes }),
    eventsRead,
    isWhole,
    ...(unreadable > 0 && { unreadable }),
    ...(last && { lastEvent: { ...eventFields(last), ageMs: quiet } }),
    runs: runs.map((run) => runFields(run)),
    ...(waiting && {
      waiting: {
        count: waiting.count,
        since: formatInstant(waiting.sinceMs),
        ageMs: Math.max(0, nowMs - waiting.sinceMs),
      },
    }),
    ...(groups !== undefined && { groups }),
    ...(pending !== undefined && { unacknowledged: pending }),
    clock,
    now: formatInstant(nowMs),
  };
}

function eventFields({ id, atMs, type, runId, process }: ThreadEvent): JsonObject {
  return {
    id: escapeText(id),
    type: escapeText(type),
    at: formatInstant(atMs),
    ...(runId !== undefined && { run: escapeText(runId) }),
    ...(process !== undefined && { process: escapeText(process) }),
  };
}

function runFields(run: ThreadRun): JsonObject {
  const { runId, process, state, firstEventAtMs, registeredAtMs, lastEventAtMs, lastEventType } = run;
  const { abortRequestedAtMs, rivals } = run;
  return {
    run: escapeText(runId),
    state,
    ...(process !== undefined && { process: escapeText(process) }),
    firstEventAt: formatInstant(firstEventAtMs),
    ...(registeredAtMs !== undefined && { registeredAt: formatInstant(registeredAtMs) }),
    lastEventAt: formatInstant(lastEventAtMs),
    lastEventType: escapeText(lastEventType),
    ...(abortRequestedAtMs !== undefined && { abortRequestedAt: formatInstant(abortRequestedAtMs) }),
    ...(rivals && {
      rivals: rivals.map(({ process: of, lastEventAtMs: atMs }) => ({
        process: escapeText(of),
        lastEventAt: formatInstant(atMs),
      })),
    }),
  };
}

/** The leases of one process. */
export function processJson(
  { process, inspections }: ProcessGroup,
  counts: VerdictCounts,
  exitCodeOf: (inspected: Inspected) => number,
  setting: InspectSetting,
): JsonObject {
  return {
    schema: 'mastra-lease/process@1',
    process: process === undefined ? null : escapeText(process),
    count: inspections.length,
    verdicts: Object.fromEntries(counts),
    inspections: inspections.map((inspected) => inspectionJson(inspected, exitCodeOf(inspected), setting)),
  };
}

/** The last line of a pulse: how many, of which verdicts, and whether that is all. */
export function pulseEndJson(end: ListEnd, counts: VerdictCounts, exitCode: number): JsonObject {
  return {
    ...listEndJson(end, exitCode),
    schema: 'mastra-lease/inspect-end@1',
    verdicts: Object.fromEntries(counts),
  };
}
