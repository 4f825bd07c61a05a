import { runOfOwner } from './facts.js';
import type { Judgement, ProducingRun, VerdictFacts } from './verdict.js';

/**
 * One thing to do, as data: whoever prints it words it. They come in the safe order, abort before logs before release: a
 * pod obeys an abort only while its run still owns the lease.
 */
export type NextStep =
  /** Somebody has to answer the approval that this run waits for; then it goes on by itself. */
  | { readonly kind: 'answer'; readonly runId: string }
  /** Ask the process of this run to end it, through the application. `isOwner`: it holds the lease, so any process can ask. */
  | { readonly kind: 'abort'; readonly runId: string; readonly process?: string; readonly isOwner: boolean }
  /** Look at what this run, and its process, logged. */
  | { readonly kind: 'logs'; readonly runId?: string; readonly process?: string }
  /** Find out who this owner is: it is no run here, and may hold the thread on purpose, as a deployment does. */
  | { readonly kind: 'ask'; readonly owner: string }
  /** Give the lease back for exactly this owner: last, for the run goes on and can no longer be aborted from elsewhere. */
  | { readonly kind: 'release'; readonly owner: string }
  /** Give the lease an expiry for exactly this owner: a live one goes on renewing, a dead one's lease then ends. */
  | { readonly kind: 'renew'; readonly owner: string; readonly ttlMs: number }
  /** Claim the free lease in the name of a run that goes on without it, so that it can be aborted and no second one starts. */
  | { readonly kind: 'acquire'; readonly owner: string; readonly ttlMs: number }
  /** Move the lease from exactly this owner to the run that really works on the thread. */
  | { readonly kind: 'transfer'; readonly from: string; readonly to: string; readonly ttlMs: number }
  /** Do nothing for so long: the lease ends, or is renewed, by itself. Then look again. */
  | { readonly kind: 'wait'; readonly forMs: number; readonly until: 'expiry' | 'renewal' }
  /** Look again, for so long, to see renewals or their absence. */
  | { readonly kind: 'observe'; readonly forMs: number }
  /** Messages went to an owner that is no live run: nobody will take them up, their senders have to send them again. */
  | { readonly kind: 'resend'; readonly count: number }
  /** Nothing is leased under this name: is the prefix, the database or the server the application's? */
  | { readonly kind: 'check-prefix'; readonly isPrefixUsed?: boolean };

/**
 * The time that a lease is taken for in the name of a run which cannot renew it any more, in milliseconds: enough to ask it
 * to end, and short enough for the messages that a dead one would swallow.
 */
const RESCUE_TTL_MS = 30_000;

/**
 * What to do about a judgement, first things first; nothing where all is well.
 *
 * @example
 * ```ts
 * import { judge, nextSteps, threadKey } from 'mastra-lease';
 *
 * const key = threadKey({ resource: 'user-42', thread: 't-1' });
 * const lease = { key, owner: 'run-1', remainingMs: null };
 * const facts = { key, lease, evidence: 'unavailable', ttlMs: 15_000 } as const;
 * nextSteps(judge(facts), facts).map(({ kind }) => kind); // => ['renew', 'wait']
 * ```
 */
export function nextSteps(judgement: Judgement, facts: VerdictFacts): readonly NextStep[] {
  const { verdict, runs = [] } = judgement;
  const { lease, activity, isPrefixUsed, ttlMs } = facts;
  const owner = lease?.owner;
  const holder = lease && runOfOwner(lease);
  const [run] = runs;
  const aborts = runs.map((one) => abort(one, one.runId === holder));
  const logs = runs.map(({ runId, process }) => logsOf(runId, process));
  const release: NextStep[] = owner === undefined ? [] : [{ kind: 'release', owner }];
  const count = activity?.waiting?.count ?? 0;
  const resend: NextStep[] = count > 0 ? [{ kind: 'resend', count }] : [];
  switch (verdict) {
    case 'doubled':
      // Those without the lease first: then the other goes on under it. Who asks that one reaches all its processes.
      return [
        ...aborts.filter(({ isOwner }) => !isOwner),
        ...aborts.filter(({ isOwner }) => isOwner).slice(0, 1),
        ...logs,
      ];
    case 'orphaned':
      return [...logs, ...resend];
    case 'lapsed':
      return run ? [rescue(run.runId), abort(run, true), ...logs] : [];
    case 'no-expiry':
      if (owner === undefined) return [];
      return [
        { kind: 'renew', owner, ttlMs },
        { kind: 'wait', forMs: ttlMs, until: 'expiry' },
      ];
    case 'late':
      return [
        { kind: 'wait', forMs: lease?.remainingMs ?? ttlMs, until: 'expiry' },
        ...(run ? logs : ownersLogs(holder)),
      ];
    case 'disputed':
      if (owner === undefined) return [];
      if (run) return [{ kind: 'transfer', from: owner, to: run.runId, ttlMs: RESCUE_TTL_MS }, ...logs];
      return [{ kind: 'ask', owner }, ...release, ...resend];
    case 'silent': {
      const silent = activity?.runs.find(({ runId }) => runId === run?.runId);
      const isAskable = silent?.state === 'unfinished' && silent.abortRequestedAtMs === undefined;
      return [...(isAskable ? aborts : []), ...logs, ...release];
    }
    case 'unknown':
      return lease && !facts.renewals && lease.remainingMs !== undefined
        ? [{ kind: 'observe', forMs: Math.ceil(ttlMs / 3) + 1_000 }]
        : [];
    case 'unseen':
      return [checkPrefix(isPrefixUsed)];
    case 'parked':
      return run ? [{ kind: 'answer', runId: run.runId }, ...aborts, ...release] : [];
    case 'working':
      return [];
    case 'free':
      return isPrefixUsed === false ? [checkPrefix(isPrefixUsed), ...resend] : resend;
  }
}

function abort({ runId, process }: ProducingRun, isOwner: boolean) {
  return { kind: 'abort', runId, ...(process !== undefined && { process }), isOwner } as const;
}

function logsOf(runId: string, process: string | undefined): NextStep {
  return { kind: 'logs', runId, ...(process !== undefined && { process }) };
}

function ownersLogs(holder: string | undefined): readonly NextStep[] {
  return holder === undefined ? [] : [logsOf(holder, undefined)];
}

function rescue(runId: string): NextStep {
  return { kind: 'acquire', owner: runId, ttlMs: RESCUE_TTL_MS };
}

function checkPrefix(isPrefixUsed: boolean | undefined): NextStep {
  return { kind: 'check-prefix', ...(isPrefixUsed !== undefined && { isPrefixUsed }) };
}
