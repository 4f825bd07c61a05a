import { type Clock, systemClock } from './clock.js';
import { isLeaseError, OutcomeUnknownError, UnreachableError } from './errors.js';
import { assertHoldable, holdCallMs, marginMs, renewCallMs, renewIntervalMs } from './hold-timing.js';
import type { LeaseProvider } from './provider.js';

/** A clock with an alarm: what a holder needs of time. */
export interface HoldClock extends Pick<Clock, 'monotonicMs'> {
  /** Calls back once after `ms` milliseconds, or not at all once the answer was called. */
  alarm(ms: number, callback: () => void): () => void;
}

/** The clock of this process. An alarm keeps the process alive: whoever holds a lease has work to do. */
export const systemHoldClock: HoldClock = {
  monotonicMs: systemClock.monotonicMs,
  alarm: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Options of {@link holdLease}. */
export interface HoldOptions {
  /** How long the lease lasts without a renewal, in milliseconds. */
  readonly ttlMs: number;
  /** Gives the lease back when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds before the end of the TTL in which the work under the lease is still stopping: loss is told that much
   * earlier. Default 0.
   */
  readonly graceMs?: number | undefined;
  readonly clock?: HoldClock | undefined;
}

/** Why a lease was lost. */
export type LossReason =
  /** The backend said so: it expired there, or another owner has it. */
  | 'refused'
  /** No renewal got through in time: by now another owner may have it. */
  | 'not-renewed'
  /** This process slept past the end of it. */
  | 'overslept';

const LOSS_TEXT: Record<LossReason, string> = {
  refused: 'the lease is no longer ours: it expired, was released or overwritten, or another owner has it',
  'not-renewed': 'no renewal got through in time: another owner may have the lease by now',
  overslept: 'this process slept past the end of the lease: another owner may have it by now',
};

/**
 * The reason of an aborted {@link HeldLease.signal}.
 *
 * @example
 * ```ts
 * import { holdLease, LeaseLostError } from 'mastra-lease';
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * const provider = new MemoryLeaseProvider();
 * const held = await holdLease(provider, 'deploy', 'job-1', { ttlMs: 600 });
 * if (!held.acquired) throw new Error(`held by ${held.owner}`);
 * const { signal } = held.lease;
 * const lost = new Promise((resolve) => signal.addEventListener('abort', resolve));
 * await provider.transferLease('deploy', 'job-1', 'job-2', 15_000); // somebody moves it
 * await lost;
 * signal.reason instanceof LeaseLostError && signal.reason.reason; // => 'refused'
 * ```
 */
export class LeaseLostError extends Error {
  readonly code = 'ERR_LEASE_LOST';
  readonly reason: LossReason;

  /** `cause`: why the last renewal failed, where one did. */
  constructor(reason: LossReason, cause?: unknown) {
    super(LOSS_TEXT[reason], cause === undefined ? undefined : { cause });
    this.name = 'LeaseLostError';
    this.reason = reason;
  }
}

/** A lease that is held and renewed until it is released or lost. */
export interface HeldLease extends AsyncDisposable {
  readonly key: string;
  readonly owner: string;
  /** Aborted with a {@link LeaseLostError} when the lease is lost; never by a release. */
  readonly signal: AbortSignal;
  /** Milliseconds for which the lease is surely still ours, the grace taken off; 0 once it is lost or released. */
  validForMs(): number;
  /**
   * Stops renewing and gives the lease back; a second call answers as the first did. After a loss that the backend did
   * not tell of itself this is worth calling too: a renewal may have arrived after all.
   *
   * @throws whatever the provider throws, and `ERR_LEASE_OUTCOME_UNKNOWN` after a third of the TTL, at most five seconds:
   *   the lease then ends by itself.
   */
  release(): Promise<void>;
  /** As {@link release}, but a failure is left to the TTL: the work is done. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What {@link holdLease} came to. */
export type HoldResult =
  | { readonly acquired: true; readonly lease: HeldLease }
  /** Another has it; `owner` where it can be read. */
  | { readonly acquired: false; readonly owner?: string };

/** How soon a renewal that failed is tried again, in milliseconds. */
const RETRY_MS = 200;
const MAX_RELEASE_MS = 5_000;
/**
 * Acquires a lease and holds it: renews it until it is released or lost.
 *
 * - A renewal is due a third of the TTL after the last good one was sent, and up to a tenth of that earlier.
 * - Validity counts from before a request was sent, on a clock that never steps back, and ends `graceMs` and a margin (2 %
 *   of the TTL, 100 ms at least) before the TTL does.
 * - A renewal that fails, or gets no answer in half the time that is left, is tried again until then; one that is refused
 *   is loss at once. Whoever wakes up past the end has lost it, whatever the backend would say.
 * - A lease is never acquired again: what ran under it has to stop first.
 * - When the answer to the acquisition is lost, one renewal tells whether it is ours; if not, it is given back in case it
 *   arrives late, and the error stands.
 *
 * Guarantee: `signal` fires before another owner can acquire the lease, as far as the backend keeps it for its TTL and
 * this process is running. Non-guarantee: a process that is frozen learns of the loss only when it wakes, and where the
 * clock stops while the machine sleeps (Linux, macOS) only from the next renewal; nothing stops work that ignores `signal`.
 *
 * @throws `ERR_LEASE_INVALID_TTL` when grace and margin leave less than one and a half renewals in the TTL; the reason of
 *   `signal` when it was aborted before the lease was held (nothing is held then); {@link LeaseLostError} when the lease
 *   was over before its answer came; whatever the provider throws when it cannot acquire.
 *
 * @example
 * ```ts
 * import { setTimeout } from 'node:timers/promises';
 * import { holdLease } from 'mastra-lease';
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 *
 * const provider = new RedisLeaseProvider({ url: 'redis://127.0.0.1:6379/0' });
 * const held = await holdLease(provider, 'nightly-report', 'job-7', { ttlMs: 15_000 });
 * if (held.acquired) {
 *   await using lease = held.lease; // given back at the end of the block
 *   await setTimeout(100, undefined, { signal: lease.signal }); // the work, which ends when the lease is lost
 * }
 * await provider.close();
 * ```
 */
export async function holdLease(
  provider: LeaseProvider,
  key: string,
  owner: string,
  { ttlMs, signal, graceMs = 0, clock = systemHoldClock }: HoldOptions,
): Promise<HoldResult> {
  assertHoldable(ttlMs, graceMs);
  signal?.throwIfAborted();
  const terms: Terms = { provider, key, owner, ttlMs, graceMs, clock };
  const claim = await claimLease(terms);
  if (!claim.acquired) {
    signal?.throwIfAborted();
    return claim;
  }
  const isOver = endOfValidity(terms, claim.sentAtMs) <= clock.monotonicMs();
  if (signal?.aborted || isOver) {
    await giveBack(terms).catch(() => {});
    signal?.throwIfAborted();
    throw new LeaseLostError('overslept');
  }
  return { acquired: true, lease: new Holder(terms, claim.sentAtMs, signal) };
}

interface Terms {
  readonly provider: LeaseProvider;
  readonly key: string;
  readonly owner: string;
  readonly ttlMs: number;
  readonly graceMs: number;
  readonly clock: HoldClock;
}

type Claim =
  | { readonly acquired: true; readonly sentAtMs: number }
  | { readonly acquired: false; readonly owner?: string };

async function claimLease(terms: Terms): Promise<Claim> {
  const { provider, key, owner, ttlMs, clock } = terms;
  const sentAtMs = clock.monotonicMs();
  const asked = provider.acquireLease(key, owner, ttlMs);
  try {
    const { acquired, owner: holder } = await bounded(asked, holdCallMs(ttlMs), clock, unanswered);
    if (acquired) return { acquired, sentAtMs };
    return { acquired, ...(holder !== undefined && { owner: holder }) };
  } catch (error) {
    if (!mayHaveHappened(error)) throw error;
    const renewedAtMs = clock.monotonicMs();
    const renewal = bounded(provider.renewLease(key, owner, ttlMs), holdCallMs(ttlMs), clock, unanswered);
    if (await renewal.catch(() => false)) return { acquired: true, sentAtMs: renewedAtMs };
    asked.then(({ acquired }) => (acquired ? giveBack(terms) : undefined)).catch(() => {});
    await giveBack(terms).catch(() => {});
    throw error;
  }
}

/** Whether a write that ended so may have been done: only our own errors say that it was not. */
function mayHaveHappened(error: unknown): boolean {
  if (!isLeaseError(error)) return true;
  return error.code === 'ERR_LEASE_OUTCOME_UNKNOWN' || error.code === 'ERR_LEASE_UNEXPECTED_REPLY';
}

function unanswered(): Error {
  return new OutcomeUnknownError('No answer came within a third of the TTL', {
    remedy: 'read the lease before trying again',
  });
}

async function giveBack({ provider, key, owner, ttlMs, clock }: Terms): Promise<void> {
  const limitMs = Math.min(MAX_RELEASE_MS, holdCallMs(ttlMs));
  await bounded(provider.releaseLease(key, owner), limitMs, clock, () => {
    return new OutcomeUnknownError('The release got no answer in time: the lease ends by itself');
  });
}

function endOfValidity({ ttlMs, graceMs }: Terms, sentAtMs: number): number {
  return sentAtMs + ttlMs - graceMs - marginMs(ttlMs);
}

/** Settles as `work` does, or rejects after `ms` milliseconds; work that is late goes on unobserved. */
async function bounded<T>(work: Promise<T>, ms: number, clock: HoldClock, late: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const cancel = clock.alarm(ms, () => reject(late()));
  try {
    return await Promise.race([work, timeout]);
  } finally {
    cancel();
  }
}

class Holder implements HeldLease {
  readonly key: string;
  readonly owner: string;
  readonly #terms: Terms;
  readonly #lost = new AbortController();
  readonly #abortSignal: AbortSignal | undefined;
  #validUntilMs: number;
  #cancelRenewal: () => void = () => {};
  #cancelDeadline: () => void = () => {};
  #lastFailure: unknown;
  #released: Promise<void> | undefined;

  constructor(terms: Terms, sentAtMs: number, signal: AbortSignal | undefined) {
    this.key = terms.key;
    this.owner = terms.owner;
    this.#terms = terms;
    this.#validUntilMs = endOfValidity(terms, sentAtMs);
    this.#abortSignal = signal;
    signal?.addEventListener('abort', this.#releaseOnAbort);
    this.#watchDeadline();
    this.#renewLater(sentAtMs);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  validForMs(): number {
    return this.#isOver ? 0 : Math.max(0, this.#validUntilMs - this.#terms.clock.monotonicMs());
  }

  release(): Promise<void> {
    this.#released ??= this.#giveBack();
    return this.#released;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release().catch(() => {});
  }

  readonly #releaseOnAbort = (): void => {
    this.release().catch(() => {});
  };

  get #isOver(): boolean {
    return this.#released !== undefined || this.#lost.signal.aborted;
  }

  async #giveBack(): Promise<void> {
    this.#stop();
    const loss: unknown = this.#lost.signal.reason;
    // What was refused is not ours to give; what was slept through may be someone's who has our name.
    if (loss instanceof LeaseLostError && loss.reason !== 'not-renewed') return;
    await giveBack(this.#terms);
  }

  /** Counted from when the last good request was sent, as the TTL is. */
  #renewLater(sentAtMs: number): void {
    const { ttlMs, clock } = this.#terms;
    this.#renewAfter(sentAtMs + renewIntervalMs(ttlMs) - clock.monotonicMs());
  }

  #renewAfter(ms: number): void {
    this.#cancelRenewal = this.#terms.clock.alarm(Math.max(0, ms), () => void this.#renew());
  }

  /** One alarm at the end of validity: it fires whatever a renewal is waiting for. */
  #watchDeadline(): void {
    const { clock, ttlMs } = this.#terms;
    this.#cancelDeadline();
    this.#cancelDeadline = clock.alarm(this.#validUntilMs - clock.monotonicMs(), () => {
      const isLate = clock.monotonicMs() > this.#validUntilMs + marginMs(ttlMs);
      this.#lose(isLate ? 'overslept' : 'not-renewed');
    });
  }

  async #renew(): Promise<void> {
    const { provider, key, owner, ttlMs, graceMs, clock } = this.#terms;
    const sentAtMs = clock.monotonicMs();
    if (this.#isOver) return;
    // An alarm that comes this late was slept through.
    if (sentAtMs >= this.#validUntilMs) return this.#lose('overslept');
    let isRenewed: boolean;
    try {
      const renewal = provider.renewLease(key, owner, ttlMs);
      isRenewed = await bounded(renewal, renewCallMs(ttlMs, graceMs), clock, () => {
        return new UnreachableError('The renewal got no answer in time');
      });
    } catch (error) {
      if (this.#isOver) return;
      this.#lastFailure = error;
      if (isLeaseError(error) && error.code === 'ERR_LEASE_WRONG_TYPE') return this.#lose('refused');
      return this.#renewAfter(Math.min(RETRY_MS, renewCallMs(ttlMs, graceMs)));
    }
    if (this.#isOver) return;
    if (!isRenewed) return this.#lose('refused');
    // Judged by the old end: a lease that was over for a moment may have been another's in that moment.
    if (clock.monotonicMs() >= this.#validUntilMs) return this.#lose('overslept');
    this.#lastFailure = undefined;
    this.#validUntilMs = endOfValidity(this.#terms, sentAtMs);
    this.#watchDeadline();
    this.#renewLater(sentAtMs);
  }

  #lose(reason: LossReason): void {
    if (this.#isOver) return;
    this.#stop();
    this.#lost.abort(new LeaseLostError(reason, this.#lastFailure));
  }

  #stop(): void {
    this.#cancelRenewal();
    this.#cancelDeadline();
    this.#abortSignal?.removeEventListener('abort', this.#releaseOnAbort);
  }
}
