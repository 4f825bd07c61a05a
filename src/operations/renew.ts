import { cautionFor } from './cautions.js';
import { type OperationContext, outcomeOf } from './context.js';
import type { KeyOutcome, Note } from './outcome.js';
import { leaseFrom } from './report.js';
import { reporterOf } from './reporter.js';
import { type KeyRequest, resolveKeyToWrite } from './resolve-key.js';
import { settleWrite } from './settle.js';
import { type OwnerRequest, shownHolder } from './shown-holder.js';
import { ThreadIndex } from './thread-index.js';

/** What `renew` needs to know. */
export interface RenewRequest {
  readonly target: KeyRequest;
  readonly owner: Exclude<OwnerRequest, { by: 'row' }>;
  readonly ttlMs: number;
  readonly dryRun?: boolean;
}

/** Extends a lease: `renewed`, `no-lease`, or `held-by-other`. Never creates or revives one. */
export async function renew(context: OperationContext, request: RenewRequest): Promise<KeyOutcome> {
  const { ttlMs, dryRun } = request;
  const { key, notes } = await resolveKeyToWrite(context, request.target, new ThreadIndex(context), 'renew');
  const done: readonly Note[] = [...notes, ...cautionFor(key, 'renew')];
  if (dryRun) {
    const lease = await context.backend.readLease(key);
    const owner = request.owner.by === 'name' ? request.owner.owner : lease?.owner;
    if (!lease) return outcomeOf(context, 'renew', 'no-lease', { key, notes, dryRun });
    if (lease.owner !== owner)
      return outcomeOf(context, 'renew', 'held-by-other', { key, lease, notes, dryRun });
    return outcomeOf(context, 'renew', 'renewed', {
      key,
      lease: { ...lease, remainingMs: ttlMs },
      notes: done,
      dryRun,
    });
  }
  const holder = await shownHolder(context, key, request.owner);
  if (!holder) return outcomeOf(context, 'renew', 'no-lease', { key, notes });
  const { owner } = holder;
  const report = await settleWrite(context, {
    verb: 'renew',
    key,
    before: holder.lease ?? { owner },
    wanted: { owner, ttlMs },
    send: () => reporterOf(context.backend).tryRenew(key, owner, ttlMs),
  });
  const status = report.done ? 'renewed' : report.holder === undefined ? 'no-lease' : 'held-by-other';
  return outcomeOf(context, 'renew', status, {
    key,
    ...leaseFrom(key, report),
    notes: report.done ? done : notes,
  });
}
