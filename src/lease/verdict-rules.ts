import { formatDuration } from './duration-words.js';
import type { ThreadRun } from './evidence.js';
import type { ProducingRun, Verdict } from './verdict-facts.js';
import { asProducing, type VerdictView } from './verdict-view.js';
import { ago, heldFor, lastHeard, renewed, runIn, unheededAbort } from './verdict-words.js';

/** One line of the table of verdicts. */
export interface VerdictRule {
  readonly verdict: Verdict;
  /** When it applies, in words, provided that none before it does. */
  readonly rule: string;
  /** What it rests on, where it applies. */
  readonly test: (view: VerdictView) => Finding | undefined;
}

/** Why a rule applies, and the runs that it is about. */
export interface Finding {
  readonly why: string;
  readonly runs: readonly ProducingRun[];
}

/** The rules in their order: the first that applies decides, and the last one always does. */
export const VERDICT_RULES: readonly VerdictRule[] = [
  {
    verdict: 'doubled',
    rule: 'two runs in different processes, or one run in two processes, produce at the same time: each published after the other had begun, all of it fresh, and neither has ended',
    test: (view) => {
      const { rivals } = view;
      if (rivals.length === 0) return undefined;
      const each = rivals.map((rival) => `${runIn(rival)} ${ago(view, rival.lastEventAtMs)}`);
      return { why: `more than one produces at the same time: ${each.join(', ')}`, runs: rivals };
    },
  },
  {
    verdict: 'no-expiry',
    rule: 'held, and the lease has no expiry',
    test: (view) => {
      const { lease, ownersRun } = view;
      if (lease?.remainingMs !== null) return undefined;
      const last = ownersRun && `; its run was last heard of ${lastHeard(view, ownersRun)}`;
      return { why: `held by ${lease.owner} without an expiry${last ?? ''}`, runs: about(ownersRun) };
    },
  },
  {
    verdict: 'disputed',
    rule: 'held, but its owner is no run at work here: another run is, or the owner is no run of this thread at all',
    test: (view) => {
      const { lease, ownersRun, others, isStranger, lastRun } = view;
      if (!lease) return undefined;
      if (others.length > 0 && !isAlive(view)) {
        const each = others.map((run) => `${runIn(run)}, heard of ${lastHeard(view, run)}`);
        const why = `${heldFor(lease)}, while the thread's work is done without the lease by ${each.join(' and ')}`;
        return { why, runs: about(...others) };
      }
      if (!isStranger) return undefined;
      const last = lastRun ? `the last was ${lastRun.runId}` : 'there was none';
      const why = `${heldFor(lease)}${renewed(view)}, which is no run of this thread (${last}): messages sent to it are lost`;
      return { why, runs: about(ownersRun) };
    },
  },
  {
    verdict: 'late',
    rule: 'held, and less than two thirds of the TTL that is assumed are left, where every third of it brings a renewal',
    test: (view) => {
      const { lease, health, ownersRun, isSeenRenewed } = view;
      if (!lease || health?.health !== 'late' || isSeenRenewed) return undefined;
      const { assumedTtlMs = 0 } = health;
      const overdueMs = (assumedTtlMs * 2) / 3 - (lease.remainingMs ?? 0);
      const overdue = `a renewal is overdue by ${formatDuration(overdueMs)} if its TTL is ${formatDuration(assumedTtlMs)}`;
      const last = ownersRun && `; its run was last heard of ${lastHeard(view, ownersRun)}`;
      return { why: `${heldFor(lease)}, and ${overdue}${last ?? ''}`, runs: about(ownersRun) };
    },
  },
  {
    verdict: 'parked',
    rule: 'the run that holds it is suspended; or nobody holds it, and the last run is',
    test: (view) => {
      const { lease, ownersRun, others } = view;
      const run = lease ? ownersRun : view.lastRun;
      if (run?.state !== 'suspended' || (!lease && others.length > 0)) return undefined;
      const held = lease ? '' : ', and its lease is gone';
      const beside = others.length === 0 ? '' : `; beside it works ${others.map(runIn).join(' and ')}`;
      const why = `run ${run.runId} has been suspended for ${formatDuration(view.ageMs(run.lastEventAtMs))}: it waits for an answer, such as an approval${held}${beside}`;
      return { why, runs: about(run) };
    },
  },
  {
    verdict: 'silent',
    rule: 'held, and its run produced nothing for the silent time, or ended more than the fresh time ago',
    test: (view) => {
      const { lease, ownersRun, lastSignAtMs } = view;
      if (!lease || !ownersRun || lastSignAtMs === undefined || view.isClockBehind) return undefined;
      if (view.isFreshUnreadable || !isQuiet(view, ownersRun, lastSignAtMs)) return undefined;
      const quietMs = view.ageMs(lastSignAtMs);
      const what =
        ownersRun.state === 'ended'
          ? `its run ended ${lastHeard(view, ownersRun)}`
          : `its run has produced nothing for ${formatDuration(quietMs)} (last: ${ownersRun.lastEventType})`;
      const why = `${heldFor(lease)}${renewed(view)}, and ${what}${unheededAbort(view, ownersRun)}`;
      return { why, runs: about(ownersRun) };
    },
  },
  {
    verdict: 'working',
    rule: 'held, and its run produced something within the silent time, or ended within the fresh time',
    test: (view) => {
      const { lease, ownersRun, lastSignAtMs } = view;
      if (!lease || !ownersRun || lastSignAtMs === undefined || view.isClockBehind) return undefined;
      if (isQuiet(view, ownersRun, lastSignAtMs)) return undefined;
      const what = ownersRun.state === 'ended' ? 'has ended' : 'produced something';
      const why = `${heldFor(lease)}${renewed(view)}, and its run ${what} ${ago(view, lastSignAtMs)}`;
      return { why: why + unheededAbort(view, ownersRun), runs: about(ownersRun) };
    },
  },
  {
    verdict: 'lapsed',
    rule: 'nobody holds it, and an unfinished run produced something within the fresh time',
    test: (view) => {
      const { lease, others } = view;
      if (lease || others.length === 0) return undefined;
      const each = others.map((run) => `${runIn(run)}, heard of ${lastHeard(view, run)}`);
      return { why: `nobody holds it, and a run goes on: ${each.join(' and ')}`, runs: about(...others) };
    },
  },
  {
    verdict: 'orphaned',
    rule: 'nobody holds it, and the last run never ended and produced nothing within the fresh time',
    test: (view) => {
      const { lease, lastRun } = view;
      if (lease || lastRun?.state !== 'unfinished' || view.isClockBehind) return undefined;
      if (view.isFreshUnreadable) return undefined;
      const why = `nobody holds it, and its last run, ${runIn(lastRun)}, never ended: heard of ${lastHeard(view, lastRun)}`;
      return { why, runs: about(lastRun) };
    },
  },
  {
    verdict: 'unseen',
    rule: 'nobody holds it, and the thread has no event stream',
    test: ({ lease, isThread, facts }) => {
      if (lease || !isThread || facts.evidence !== 'no-stream') return undefined;
      const others = { true: '; other keys are leased here', false: '; nothing at all is leased here' };
      const place = facts.isPrefixUsed === undefined ? '' : others[`${facts.isPrefixUsed}`];
      return { why: `nobody holds it, and no event of this thread is kept here${place}`, runs: [] };
    },
  },
  {
    verdict: 'free',
    rule: 'nobody holds it, and no run is known to be under way',
    test: (view) => {
      const { lease, lastRun, isThread, activity, facts } = view;
      if (lease || lastRun?.state === 'unfinished') return undefined;
      if (view.isClockBehind && activity?.runs.some(({ state }) => state === 'unfinished')) return undefined;
      if (lastRun) {
        return { why: `nobody holds it, and its last run ended ${lastHeard(view, lastRun)}`, runs: [] };
      }
      if (isThread && !activity) {
        return { why: 'nobody holds it; whether a run goes on without it cannot be seen here', runs: [] };
      }
      const place = !isThread && facts.isPrefixUsed === false ? '; nothing at all is leased here' : '';
      return { why: `nobody holds it${place}`, runs: [] };
    },
  },
  {
    verdict: 'unknown',
    rule: 'anything else: held, and what its owner does cannot be seen; or the ages of the events cannot be told, or the newest of them not be read',
    test: (view) => {
      const { lease, isThread, activity, ownersRun, facts } = view;
      const held = lease ? heldFor(lease) + renewed(view) : 'nobody holds it';
      if (view.isClockBehind && activity) {
        const why = `${held}; how old its events are cannot be told, for they are stamped later than the clock shows`;
        return { why, runs: about(ownersRun) };
      }
      if (view.isFreshUnreadable) {
        const why = `${held}; something publishes on this thread, but its newest entries are no events that can be read`;
        return { why, runs: about(ownersRun) };
      }
      if (activity) {
        const what = activity.isWhole
          ? 'of which no event is here: a run that is starting, one whose events were trimmed, or no run of this thread'
          : `of which the last ${activity.events.length} events tell nothing`;
        return { why: `${held}, ${what}`, runs: [] };
      }
      const why =
        isThread && facts.evidence === 'no-stream'
          ? `${held}, and no event of this thread is here: its run is starting, publishes elsewhere, or is none`
          : `${held}; what its owner does cannot be seen here`;
      return { why, runs: [] };
    },
  },
];

/** The owner's run is known, and neither ended nor quiet beyond the fresh time. */
function isAlive({ ownersRun, lastSignAtMs, thresholds, ageMs }: VerdictView): boolean {
  if (ownersRun?.state === 'suspended') return true;
  if (ownersRun?.state !== 'unfinished' || lastSignAtMs === undefined) return false;
  return ageMs(lastSignAtMs) < thresholds.freshWithinMs;
}

/** Nothing was heard of a run for the silent time; or for the fresh time, of one that has ended and still holds its lease. */
function isQuiet({ thresholds, ageMs }: VerdictView, { state }: ThreadRun, lastSignAtMs: number): boolean {
  const { freshWithinMs, silentAfterMs } = thresholds;
  return ageMs(lastSignAtMs) >= (state === 'ended' ? freshWithinMs : silentAfterMs);
}

function about(...runs: readonly (ThreadRun | undefined)[]): readonly ProducingRun[] {
  return runs.flatMap((run) => (run ? [asProducing(run)] : []));
}
