import type { Backend } from '../lease/backend.js';
import { type HeldLease, holdLease } from '../lease/hold.js';
import type { LeaseReport } from '../lease/inspector.js';
import type { AcquireResult, LeaseProvider } from '../lease/provider.js';
import { type Attempt, takeTurn } from './acquire-waiting.js';
import { cautionFor } from './cautions.js';
import { type OperationContext, outcomeOf } from './context.js';
import type { KeyOutcome, Note } from './outcome.js';
import { leaseFrom } from './report.js';
import { reporterOf } from './reporter.js';
import { type KeyRequest, resolveKeyToWrite } from './resolve-key.js';
import { ThreadIndex } from './thread-index.js';
import { loggedWrite, type WriteLog } from './write-log.js';

/** What holding a key needs to know. */
export interface KeepRequest {
  readonly target: KeyRequest;
  readonly owner: string;
  readonly ttlMs: number;
  /** Milliseconds that the work under the lease may take to stop. */
  readonly graceMs: number;
  /** How long to wait for the key, in milliseconds; 0 tries once. */
  readonly waitMs: number;
  /** Told who has the key each time that it is waited for. */
  readonly onWaiting?: (outcome: KeyOutcome) => void;
  /** Gives up while it waits; once the lease is held it gives it back. */
  readonly signal: AbortSignal;
}

/** The lease, held; or who has it. The outcome is `acquired`, `refreshed` or `held-by-other`. */
export type KeepResult =
  | { readonly isTaken: true; readonly outcome: KeyOutcome; readonly lease: HeldLease }
  | { readonly isTaken: false; readonly outcome: KeyOutcome };

/** Acquires a key, waiting for it where that was asked, and holds it. */
export async function keep(context: OperationContext, request: KeepRequest): Promise<KeepResult> {
  const { target, owner, ttlMs, graceMs, waitMs, signal } = request;
  const onWaiting = ({ outcome }: KeepResult) => request.onWaiting?.(outcome);
  let resolved: { readonly key: string; readonly notes: readonly Note[] } | undefined;
  return takeTurn<KeepResult & Attempt>(context, { waitMs, signal, onWaiting }, async () => {
    resolved ??= await resolveKeyToWrite(context, target, new ThreadIndex(context), 'acquire');
    const { key, notes } = resolved;
    const provider = new ReportedProvider(context);
    const held = await holdLease(provider, key, owner, { ttlMs, graceMs, signal });
    const seen = provider.lastClaim ? leaseFrom(key, provider.lastClaim) : {};
    if (!held.acquired) {
      const outcome = outcomeOf(context, 'acquire', 'held-by-other', { key, ...seen, notes });
      return { isTaken: false, outcome, waitFor: key };
    }
    const status = provider.lastClaim?.refreshed ? 'refreshed' : 'acquired';
    const lease = { key, owner, remainingMs: ttlMs };
    const outcome = outcomeOf(context, 'acquire', status, {
      key,
      lease,
      notes: [...notes, ...cautionFor(key, 'acquire')],
    });
    return { isTaken: true, outcome, lease: held.lease };
  });
}

/**
 * A backend's provider that keeps what its last claim found (whose the key is, for how long, and since when it was ours)
 * and has the claim and the release logged.
 */
class ReportedProvider implements LeaseProvider {
  lastClaim: LeaseReport | undefined;
  readonly #backend: Backend;
  readonly #log: WriteLog | undefined;

  constructor({ backend, writeLog }: OperationContext) {
    this.#backend = backend;
    this.#log = writeLog;
  }

  async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const report = await loggedWrite(
      this.#log,
      { verb: 'acquire', key, wanted: { owner, remainingMs: ttlMs } },
      () => reporterOf(this.#backend).tryAcquire(key, owner, ttlMs),
    );
    this.lastClaim = report;
    return { acquired: report.done, ...(report.holder !== undefined && { owner: report.holder }) };
  }

  getLeaseOwner(key: string): Promise<string | undefined> {
    return this.#backend.provider.getLeaseOwner(key);
  }

  async releaseLease(key: string, owner: string): Promise<void> {
    const { reporter, provider } = this.#backend;
    await loggedWrite(this.#log, { verb: 'release', key, before: { owner }, wanted: null }, async () => {
      if (reporter) return reporter.tryRelease(key, owner);
      await provider.releaseLease(key, owner);
      return { done: true, isUnseen: true };
    });
  }

  renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.#backend.provider.renewLease(key, owner, ttlMs);
  }

  transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean> {
    return this.#backend.provider.transferLease(key, fromOwner, toOwner, ttlMs);
  }
}
