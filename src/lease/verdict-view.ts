import type { ThreadActivity, ThreadRun } from './evidence.js';
import { runOfOwner } from './facts.js';
import { type HealthReading, readHealth } from './health.js';
import type { SeenLease } from './inspector.js';
import { parseKey } from './key.js';
import { isLikeRunId } from './run-id.js';
import type { ProducingRun, VerdictFacts, VerdictThresholds } from './verdict-facts.js';

/** The facts as the rules ask for them. */
export interface VerdictView {
  readonly facts: VerdictFacts;
  readonly thresholds: VerdictThresholds;
  readonly isThread: boolean;
  readonly lease: SeenLease | undefined;
  readonly health: HealthReading | undefined;
  /** Renewals were seen, and go on at their pace. */
  readonly isSeenRenewed: boolean;
  readonly activity: ThreadActivity | undefined;
  /** The events are stamped later than the clock shows: no age can be told. */
  readonly isClockBehind: boolean;
  /** Something was published lately that is no event as far as could be read. */
  readonly isFreshUnreadable: boolean;
  /** The run that holds the lease, where its events are known. */
  readonly ownersRun: ThreadRun | undefined;
  /** Nothing is known of the owner here, and it is not just a run that is starting. */
  readonly isStranger: boolean;
  /** The run that was registered last, or else heard of first. */
  readonly lastRun: ThreadRun | undefined;
  /** Unfinished runs that produced something within the fresh time, outside the owner's process. */
  readonly others: readonly ThreadRun[];
  /** What produces at the same time as something else: two runs, or one run in two processes. */
  readonly rivals: readonly ProducingRun[];
  /** When the owner's run, or a run inside it, was heard of last. */
  readonly lastSignAtMs: number | undefined;
  /** How long ago something was, never negative. */
  ageMs(atMs: number): number;
}

export function viewOf(facts: VerdictFacts, thresholds: VerdictThresholds): VerdictView {
  const { key, lease, ttlMs, renewals } = facts;
  const activity = facts.evidence === 'read' ? facts.activity : undefined;
  const nowMs = activity?.nowMs ?? 0;
  const newestMs = activity?.events.at(-1)?.atMs ?? nowMs;
  const isClockBehind = newestMs - nowMs > thresholds.freshWithinMs;
  const ageMs = (atMs: number) => Math.max(0, nowMs - atMs);
  const ageOfUnreadableMs = ageMs(activity?.lastUnreadableAtMs ?? Number.NEGATIVE_INFINITY);
  const isFresh = (atMs: number) => !isClockBehind && ageMs(atMs) < thresholds.freshWithinMs;
  const runs = activity?.runs ?? [];
  const holder = lease && runOfOwner(lease);
  const ownersRun = runs.find(({ runId }) => runId === holder);
  const producing = runs.filter(
    ({ state, lastEventAtMs }) => state === 'unfinished' && isFresh(lastEventAtMs),
  );
  const isInside = (run: ThreadRun) => isOneProcess(run, ownersRun);
  const inside = producing.filter(isInside);
  const { intervalMs = 0, lastAgoMs = Number.POSITIVE_INFINITY } = renewals ?? {};
  return {
    facts,
    thresholds,
    isThread: parseKey(key).kind === 'thread',
    lease,
    health: healthOf(lease, ttlMs),
    isSeenRenewed: lastAgoMs <= intervalMs * 1.5,
    activity,
    isClockBehind,
    isFreshUnreadable: ageOfUnreadableMs < thresholds.silentAfterMs,
    ownersRun,
    isStranger: isStranger(facts, activity, ownersRun),
    lastRun: runs.reduce<ThreadRun | undefined>(moreRecent, undefined),
    others: producing.filter((run) => run !== ownersRun && !isInside(run)),
    rivals: rivalsAmong(producing, isFresh),
    lastSignAtMs: ownersRun && Math.max(ownersRun.lastEventAtMs, ...inside.map((run) => run.lastEventAtMs)),
    ageMs,
  };
}

function healthOf(lease: SeenLease | undefined, ttlMs: number): HealthReading | undefined {
  if (lease?.remainingMs === undefined) return undefined;
  return readHealth({ ...lease, remainingMs: lease.remainingMs }, ttlMs);
}

/**
 * The runtime takes the lease first and registers its run when the run is prepared: an owner that looks like a run is given
 * the time of a whole lease for it.
 */
function isStranger(
  { lease, renewals, ttlMs }: VerdictFacts,
  activity: ThreadActivity | undefined,
  ownersRun: ThreadRun | undefined,
): boolean {
  if (!lease || !activity || ownersRun) return false;
  const { runs, unreadable } = activity;
  // Its registration may be among what was trimmed, not read or not understood: only where another run's is seen, and all
  // that is newer could be read, is its absence a sign.
  if (unreadable > 0 || !runs.some(({ registeredAtMs }) => registeredAtMs !== undefined)) return false;
  const hasHadTime = (renewals?.watchedMs ?? 0) >= ttlMs;
  return (
    hasHadTime ||
    !isLikeRunId(
      lease.owner,
      runs.map(({ runId }) => runId),
    )
  );
}

function moreRecent(one: ThreadRun | undefined, other: ThreadRun): ThreadRun {
  if (!one) return other;
  const since = (run: ThreadRun) => run.registeredAtMs ?? run.firstEventAtMs;
  return since(other) >= since(one) ? other : one;
}

/**
 * Two runs are rivals when the one went on after the other had begun. Those of one process are not: there, runs within a
 * run (for structured output, say) use its thread, and the process itself keeps the others apart.
 */
function rivalsAmong(producing: readonly ThreadRun[], isFresh: (atMs: number) => boolean): ProducingRun[] {
  const rivals = new Set<ThreadRun>();
  const inside: ProducingRun[] = [];
  for (const run of producing) {
    for (const other of producing) {
      const goesOn = run.firstEventAtMs <= other.firstEventAtMs && run.lastEventAtMs > other.firstEventAtMs;
      if (run !== other && goesOn && !isOneProcess(run, other)) rivals.add(run).add(other);
    }
    for (const { process, lastEventAtMs } of run.rivals ?? []) {
      if (!isFresh(lastEventAtMs)) continue;
      rivals.add(run);
      inside.push({ runId: run.runId, process, lastEventAtMs });
    }
  }
  return [...[...rivals].map(asProducing), ...inside];
}

function isOneProcess(run: ThreadRun, other: ThreadRun | undefined): boolean {
  return run.process !== undefined && run.process === other?.process;
}

export function asProducing({ runId, process, lastEventAtMs }: ThreadRun): ProducingRun {
  return { runId, ...(process !== undefined && { process }), lastEventAtMs };
}
