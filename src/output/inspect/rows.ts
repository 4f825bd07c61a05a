import type { ThreadActivity, ThreadRun } from '../../lease/evidence.js';
import { lastEvent, lastEventAgeMs, processOf, runOfOwner } from '../../lease/facts.js';
import type { SeenLease } from '../../lease/inspector.js';
import { parseKey } from '../../lease/key.js';
import { parseOwner } from '../../lease/owner.js';
import { escapeText } from '../../lease/text.js';
import type { VerdictFacts } from '../../lease/verdict.js';
import type { Inspection } from '../../operations/inspect/inspect.js';
import type { RelatedLease } from '../../operations/inspect/related.js';
import { formatDuration, formatInstant, formatRemaining } from '../durations.js';
import { printable } from '../printable.js';

/** A line of what is known: its name, and its parts, between which it may be broken. */
export type FactRow = readonly [name: string, parts: readonly string[]];

/** What is known of a key, a row for each kind of thing; nothing in it can move a cursor. */
export function factRows(inspection: Inspection): readonly FactRow[] {
  const { facts, watchError } = inspection;
  const { activity } = facts;
  return [
    ['lease', leaseParts(facts)],
    ...(watchError ? [row('', `its renewals could not be watched: ${printable(watchError.message)}`)] : []),
    ...eventRows(inspection),
    ...(activity ? activityRows(activity, facts) : []),
    ...relatedRows(inspection),
  ];
}

function row(name: string, ...parts: readonly string[]): FactRow {
  return [name, parts];
}

function leaseParts({ lease, renewals }: VerdictFacts): readonly string[] {
  if (!lease) return ['nobody holds it'];
  return [
    `held by ${ownerWords(lease)}`,
    lease.remainingMs === null || lease.remainingMs === undefined
      ? formatRemaining(lease.remainingMs)
      : `${formatDuration(lease.remainingMs)} left`,
    ...(renewals ? [renewalWords(renewals)] : []),
  ];
}

/** An owner that names a run and its process is read out; what it is stays what it is, for commands to name. */
function ownerWords({ owner, ownerHex }: SeenLease): string {
  if (ownerHex !== undefined) return `hex:${ownerHex}`;
  const parts = parseOwner(owner);
  if (parts.kind === 'thread-owner') {
    return `run ${escapeText(parts.runId)} of process ${escapeText(parts.process)} (${escapeText(owner)})`;
  }
  return owner === '' ? "''" : escapeText(owner);
}

function renewalWords({ seen, intervalMs, watchedMs }: NonNullable<VerdictFacts['renewals']>): string {
  const watched = formatDuration(watchedMs);
  if (seen === 0) return `not renewed in the ${watched} it was watched`;
  if (intervalMs === undefined) return `renewed ${seen === 1 ? 'once' : `${seen} times`} in ${watched}`;
  return `renewed every ${formatDuration(intervalMs)} (${seen} seen)`;
}

/** Only a thread has events. */
function eventRows({ key, facts, eventsRead, evidenceError }: Inspection): readonly FactRow[] {
  if (parseKey(key).kind !== 'thread') return [];
  const { activity } = facts;
  if (evidenceError) {
    const isForbidden = evidenceError.code === 'ERR_LEASE_NOT_PERMITTED';
    return [
      row('events', `${isForbidden ? 'not permitted' : 'not read'}: ${printable(evidenceError.message)}`),
    ];
  }
  if (facts.evidence === 'unavailable') return [row('events', 'cannot be read on this backend')];
  if (!activity) return [row('events', 'none: the thread has no stream there')];
  const last = lastEvent(facts);
  const quiet = lastEventAgeMs(facts);
  const run = shownRun(facts);
  const kept = `${activity.length} kept`;
  return [
    row(
      'events',
      activity.bytes === undefined ? kept : `${kept} in ${formatBytes(activity.bytes)}`,
      ...(last && quiet !== undefined
        ? [`last ${formatDuration(quiet)} ago (${printable(last.type)} ${timeOf(last.atMs, activity)})`]
        : []),
      ...(run ? [registration(run, activity, processOf(facts))] : []),
      ...(activity.isWhole ? [] : [`the last ${eventsRead + activity.unreadable} looked at`]),
      ...(activity.unreadable > 0 ? [`${activity.unreadable} of them unreadable`] : []),
      ...(activity.clock === 'host' ? ['ages by the clock of this host'] : []),
    ),
  ];
}

/** The run that the events' line is about: the owner's, or of a free thread the last. */
function shownRun({ lease, activity }: VerdictFacts): ThreadRun | undefined {
  const runs = activity?.runs ?? [];
  return lease ? runs.find(({ runId }) => runId === runOfOwner(lease)) : runs.at(-1);
}

function registration(run: ThreadRun, activity: ThreadActivity, process: string | undefined): string {
  const by = process === undefined ? '' : ` by process ${escapeText(process)}`;
  if (run.registeredAtMs === undefined) return `registered before that${by}`;
  return `registered ${timeOf(run.registeredAtMs, activity)}${by}`;
}

function activityRows(activity: ThreadActivity, facts: VerdictFacts): readonly FactRow[] {
  const { waiting, groups, pending, nowMs } = activity;
  const told = activity.runs.filter((run) => isTold(run, facts));
  return [
    ...told.map((run, index) => row(index === 0 ? 'runs' : '', ...runParts(run, activity, facts))),
    ...(waiting && waiting.count > 0
      ? [
          row(
            'waiting',
            `${waiting.count} ${waiting.count === 1 ? 'message' : 'messages'} since ${formatDuration(Math.max(0, nowMs - waiting.sinceMs))}`,
          ),
        ]
      : []),
    ...(groups === undefined
      ? []
      : [
          row(
            'readers',
            `${groups} ${groups === 1 ? 'group' : 'groups'}`,
            ...(pending === undefined ? [] : [`${pending} unacknowledged`]),
          ),
        ]),
  ];
}

/** Whether a run has something to say that the other lines do not: one that works under its own lease has not. */
function isTold(run: ThreadRun, { lease }: VerdictFacts): boolean {
  if (run.state === 'ended') return false;
  const isOwner = lease !== undefined && runOfOwner(lease) === run.runId;
  return (
    !isOwner || run.state === 'suspended' || run.abortRequestedAtMs !== undefined || run.rivals !== undefined
  );
}

function runParts(run: ThreadRun, activity: ThreadActivity, { lease }: VerdictFacts): readonly string[] {
  const { runId, process, state, lastEventAtMs, lastEventType, abortRequestedAtMs, rivals = [] } = run;
  const isOwner = lease !== undefined && runOfOwner(lease) === runId;
  const ago = (atMs: number) => `${formatDuration(Math.max(0, activity.nowMs - atMs))} ago`;
  return [
    `${escapeText(runId)} ${state}${isOwner ? '' : ', not the owner'}`,
    `last ${printable(lastEventType)} ${ago(lastEventAtMs)}`,
    ...(process === undefined ? [] : [`process ${escapeText(process)}`]),
    ...(abortRequestedAtMs === undefined ? [] : [`asked to abort ${ago(abortRequestedAtMs)}`]),
    ...rivals.map((rival) => `also of process ${escapeText(rival.process)}, ${ago(rival.lastEventAtMs)}`),
  ];
}

function relatedRows({ related: { leases, missing } }: Inspection): readonly FactRow[] {
  const reason =
    missing === 'unfinished'
      ? 'there was no time to look at all leases for more'
      : missing && `more could not be looked for: ${printable(missing.message)}`;
  return [...leases.map(relatedParts), ...(reason === undefined ? [] : [[reason]])].map((parts, index) =>
    row(index === 0 ? 'related' : '', ...parts),
  );
}

function relatedParts({ relation, lease }: RelatedLease): readonly string[] {
  const parts = parseKey(lease.key);
  const ofAgent = 'agent' in parts ? ` of agent ${escapeText(parts.agent)}` : '';
  const ofThread = relation === 'thread' && 'thread' in parts ? ` ${escapeText(parts.thread)}` : '';
  return [
    `${relation}${ofThread}${ofAgent} held by ${ownerWords(lease)}`,
    formatRemaining(lease.remainingMs),
  ];
}

/** The time of day in UTC; with its date where that is another day than the one of the reading. */
function timeOf(atMs: number, { nowMs }: ThreadActivity): string {
  const [day = '', time = ''] = formatInstant(atMs)
    .replace(/\.\d+Z$/, 'Z')
    .split('T');
  return formatInstant(nowMs).startsWith(day) ? time : `${day}T${time}`;
}

/** Bytes for people: `812 B`, `310 kB`, `1.2 MB`. */
function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
