import { cautionFor } from './cautions.js';
import { type OperationContext, outcomeOf } from './context.js';
import type { KeyOutcome, Note } from './outcome.js';
import { lookForWork, type Quiet, type Sight } from './quiet-guard.js';
import { leaseFrom } from './report.js';
import { reporterOf } from './reporter.js';
import { type KeyRequest, resolveKeyToWrite } from './resolve-key.js';
import { settleWrite } from './settle.js';
import { type OwnerRequest, shownHolder } from './shown-holder.js';
import { ThreadIndex } from './thread-index.js';

/** What `transfer` needs to know. */
export interface TransferRequest {
  readonly target: KeyRequest;
  readonly from: Exclude<OwnerRequest, { by: 'row' }>;
  readonly to: string;
  readonly ttlMs: number;
  /** When the lease was lost meanwhile: acquire afresh, as the contract tells callers to. */
  readonly orAcquire?: boolean;
  /** Only when the thread's run is so quiet: else the outcome is `active`. */
  readonly quiet?: Quiet | undefined;
  readonly dryRun?: boolean;
}

/**
 * Hands a lease over: `transferred`, `no-lease`, `held-by-other`, or `active`; with `orAcquire` a lease that was lost is
 * acquired afresh: `acquired`, `refreshed`, or `held-by-other`.
 */
export async function transfer(context: OperationContext, request: TransferRequest): Promise<KeyOutcome> {
  const { to, ttlMs } = request;
  const { key, notes } = await resolveKeyToWrite(
    context,
    request.target,
    new ThreadIndex(context),
    'transfer',
  );
  const notesOf = (sight?: Sight): readonly Note[] => [
    ...notes,
    { kind: 'not-renewed' },
    ...cautionFor(key, 'transfer', sight),
  ];
  if (request.dryRun) return planTransfer(context, request, key, notes, notesOf);
  const holder = await shownHolder(context, key, request.from, request.quiet);
  const done = notesOf(holder?.sight);
  if (holder) {
    const { owner: from, sight } = holder;
    const { work } = sight;
    if (work) {
      const lease = holder.lease ?? (await context.backend.readLease(key));
      return outcomeOf(context, 'transfer', 'active', { key, ...(lease && { lease }), work, notes });
    }
    const report = await settleWrite(context, {
      verb: 'transfer',
      key,
      before: holder.lease ?? { owner: from },
      wanted: { owner: to, ttlMs },
      send: () => reporterOf(context.backend).tryTransfer(key, from, to, ttlMs),
    });
    if (report.done) {
      return outcomeOf(context, 'transfer', 'transferred', {
        key,
        ...leaseFrom(key, report),
        previousOwner: from,
        notes: done,
      });
    }
    if (!request.orAcquire) {
      const status = report.holder === undefined ? 'no-lease' : 'held-by-other';
      return outcomeOf(context, 'transfer', status, { key, ...leaseFrom(key, report), notes });
    }
  } else if (!request.orAcquire) {
    return outcomeOf(context, 'transfer', 'no-lease', { key, notes });
  }
  const report = await settleWrite(context, {
    verb: 'acquire',
    key,
    wanted: { owner: to, ttlMs },
    send: () => reporterOf(context.backend).tryAcquire(key, to, ttlMs),
  });
  const status = !report.done ? 'held-by-other' : report.refreshed ? 'refreshed' : 'acquired';
  return outcomeOf(context, 'transfer', status, {
    key,
    ...leaseFrom(key, report),
    notes: report.done ? done : notes,
  });
}

async function planTransfer(
  context: OperationContext,
  { from, to, ttlMs, orAcquire, quiet }: TransferRequest,
  key: string,
  notes: readonly Note[],
  notesOf: (sight?: Sight) => readonly Note[],
): Promise<KeyOutcome> {
  const dryRun = true;
  const lease = await context.backend.readLease(key);
  const wanted = { key, owner: to, remainingMs: ttlMs };
  if (lease && (from.by === 'force' || lease.owner === from.owner)) {
    const sight: Sight = quiet ? await lookForWork(context.backend, key, quiet) : {};
    const { work } = sight;
    if (work) return outcomeOf(context, 'transfer', 'active', { key, lease, work, notes, dryRun });
    return outcomeOf(context, 'transfer', 'transferred', {
      key,
      lease: wanted,
      previousOwner: lease.owner,
      notes: notesOf(sight),
      dryRun,
    });
  }
  if (lease && !(orAcquire && lease.owner === to)) {
    return outcomeOf(context, 'transfer', 'held-by-other', { key, lease, notes, dryRun });
  }
  if (!orAcquire) return outcomeOf(context, 'transfer', 'no-lease', { key, notes, dryRun });
  return outcomeOf(context, 'transfer', lease ? 'refreshed' : 'acquired', {
    key,
    lease: wanted,
    notes: notesOf(),
    dryRun,
  });
}
