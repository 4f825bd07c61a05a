import { CancelledError } from '../lease/errors.js';
import type { SeenLease } from '../lease/inspector.js';
import { parseKey } from '../lease/key.js';
import { cautionFor } from './cautions.js';
import { type OperationContext, outcomeOf } from './context.js';
import type { KeyOutcome, Note } from './outcome.js';
import { lookForWork, type Quiet, type Sight } from './quiet-guard.js';
import { leaseFrom } from './report.js';
import { reporterOf } from './reporter.js';
import { type KeyRequest, resolveKeyToWrite } from './resolve-key.js';
import { settleWrite } from './settle.js';
import { assertNameable, type OwnerRequest, STALE_MS } from './shown-holder.js';
import { ThreadIndex } from './thread-index.js';

/** What `release` needs to know. */
export interface ReleaseRequest {
  readonly targets: readonly KeyRequest[];
  readonly owner: OwnerRequest;
  /** Only keys of threads whose run is so quiet: the others are `active`. */
  readonly quiet?: Quiet | undefined;
  readonly dryRun?: boolean;
}

interface Plan {
  readonly key: string;
  /** Who was asked to let go, where the request itself said so. */
  readonly expected?: string | undefined;
  readonly notes: readonly Note[];
  readonly lease?: SeenLease | undefined;
  readonly isSkipped: boolean;
  /** What was seen of the thread's run: where it is at work, nothing may be sent. */
  sight: Sight;
}

/**
 * Gives keys back: `released`, `no-lease`, `held-by-other`, or `active`. Every key is found, and with force every holder shown
 * and confirmed at once, before the first write. In a bulk, step fences are skipped.
 */
export async function* release(
  context: OperationContext,
  request: ReleaseRequest,
): AsyncGenerator<KeyOutcome> {
  const { owner } = request;
  const plans = await planRelease(context, request);
  const held = plans.flatMap(({ lease, expected, sight }) =>
    lease && !sight.work && (expected === undefined || expected === lease.owner) ? [lease] : [],
  );
  if (owner.by === 'force' && held.length > 0 && !request.dryRun) {
    held.forEach(assertNameable);
    const shownAtMs = context.clock.monotonicMs();
    if (!(await owner.confirm(held))) throw new CancelledError('Cancelled: nothing was sent');
    if (context.clock.monotonicMs() - shownAtMs > STALE_MS) await lookAtRuns(context, plans, request);
  }
  for (const plan of plans) yield await releaseOne(context, plan, request);
}

async function lookAtRuns(
  { backend }: OperationContext,
  plans: readonly Plan[],
  { quiet }: ReleaseRequest,
): Promise<void> {
  if (!quiet) return;
  for (const plan of plans) {
    if (plan.lease && !plan.sight.work) plan.sight = await lookForWork(backend, plan.key, quiet);
  }
}

async function planRelease(context: OperationContext, request: ReleaseRequest): Promise<Plan[]> {
  const { targets, owner, dryRun, quiet } = request;
  const index = new ThreadIndex(context);
  const plans: Plan[] = [];
  for (const target of targets) {
    const { key, notes } = await resolveKeyToWrite(context, target, index, 'release');
    const isSkipped = targets.length > 1 && parseKey(key).kind === 'step';
    const isRead = !isSkipped && (owner.by === 'force' || dryRun || quiet !== undefined);
    const lease = isRead ? await context.backend.readLease(key) : undefined;
    const expected = target.by === 'key' ? target.owner : undefined;
    plans.push({ key, notes, lease, isSkipped, expected, sight: {} });
  }
  await lookAtRuns(context, plans, request);
  return plans;
}

async function releaseOne(
  context: OperationContext,
  { key, notes, lease, isSkipped, expected, sight }: Plan,
  { owner: request, dryRun }: ReleaseRequest,
): Promise<KeyOutcome> {
  if (isSkipped)
    return outcomeOf(context, 'release', 'skipped', { key, notes: [...notes, { kind: 'step-fence' }] });
  const { work } = sight;
  if (work) {
    const parts = { key, notes, work, ...(lease && { lease }), ...(dryRun && { dryRun }) };
    return outcomeOf(context, 'release', 'active', parts);
  }
  const owner = expected ?? (request.by === 'name' ? request.owner : lease?.owner);
  if (owner === undefined)
    return outcomeOf(context, 'release', 'no-lease', { key, notes, ...(dryRun && { dryRun }) });
  const done = [...notes, ...cautionFor(key, 'release', sight)];
  if (dryRun) {
    if (!lease) return outcomeOf(context, 'release', 'no-lease', { key, notes, dryRun });
    if (lease.owner !== owner)
      return outcomeOf(context, 'release', 'held-by-other', { key, lease, notes, dryRun });
    return outcomeOf(context, 'release', 'released', { key, previousOwner: owner, notes: done, dryRun });
  }
  const report = await settleWrite(context, {
    verb: 'release',
    key,
    before: lease ?? { owner },
    wanted: { notOwner: owner },
    send: () => reporterOf(context.backend).tryRelease(key, owner),
  });
  // Read back as another's: it may have been all along, and only a holder that was read before is known to have let go.
  const isOthers = report.readBack && report.holder !== undefined && request.by !== 'force';
  if (report.done && !isOthers) {
    const { readBack } = report;
    return outcomeOf(context, 'release', 'released', {
      key,
      previousOwner: owner,
      notes: done,
      ...leaseFrom(key, report),
      ...(readBack && { readBack }),
    });
  }
  return outcomeOf(context, 'release', report.holder === undefined ? 'no-lease' : 'held-by-other', {
    key,
    notes,
    ...leaseFrom(key, report),
  });
}
