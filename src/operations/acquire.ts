import { cautionFor } from './cautions.js';
import { type OperationContext, outcomeOf } from './context.js';
import type { KeyOutcome, Note } from './outcome.js';
import { leaseFrom } from './report.js';
import { reporterOf } from './reporter.js';
import { type KeyRequest, resolveKeyToWrite } from './resolve-key.js';
import { settleWrite } from './settle.js';
import { ThreadIndex } from './thread-index.js';

/** What `acquire` needs to know. */
export interface AcquireRequest {
  readonly target: KeyRequest;
  readonly owner: string;
  readonly ttlMs: number;
  readonly dryRun?: boolean;
}

/** Claims a key: `acquired`, `refreshed` where the owner held it already, or `held-by-other`. */
export async function acquire(context: OperationContext, request: AcquireRequest): Promise<KeyOutcome> {
  const { owner, ttlMs } = request;
  const { key, notes } = await resolveKeyToWrite(
    context,
    request.target,
    new ThreadIndex(context),
    'acquire',
  );
  const done: readonly Note[] = [...notes, { kind: 'not-renewed' }, ...cautionFor(key, 'acquire')];
  if (request.dryRun) {
    const lease = await context.backend.readLease(key);
    if (lease && lease.owner !== owner) {
      return outcomeOf(context, 'acquire', 'held-by-other', { key, lease, notes, dryRun: true });
    }
    const wanted = { key, owner, remainingMs: ttlMs };
    return outcomeOf(context, 'acquire', lease ? 'refreshed' : 'acquired', {
      key,
      lease: wanted,
      notes: done,
      dryRun: true,
    });
  }
  const report = await settleWrite(context, {
    verb: 'acquire',
    key,
    wanted: { owner, ttlMs },
    send: () => reporterOf(context.backend).tryAcquire(key, owner, ttlMs),
  });
  const parts = { key, ...leaseFrom(key, report) };
  if (!report.done) return outcomeOf(context, 'acquire', 'held-by-other', { ...parts, notes });
  return outcomeOf(context, 'acquire', report.refreshed ? 'refreshed' : 'acquired', {
    ...parts,
    notes: done,
  });
}
