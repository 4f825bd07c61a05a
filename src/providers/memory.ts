import { type Clock, systemClock } from '../lease/clock.js';
import { ClosedError } from '../lease/errors.js';
import type {
  Lease,
  LeaseChange,
  LeaseInspector,
  LeaseReport,
  LeaseWatcher,
  ListOptions,
  WatchOptions,
} from '../lease/inspector.js';
import { assertKey, assertOwner } from '../lease/key.js';
import type { LeaseTraits } from '../lease/provider.js';
import { ReportedLeases } from '../lease/reported-leases.js';
import { assertTtlMs } from '../lease/ttl.js';
import { MemoryWatches } from './memory/watch.js';

/** Options of {@link MemoryLeaseProvider}. */
export interface MemoryLeaseOptions {
  /** Where time comes from; the process's own monotonic clock unless a test wants to move it. */
  readonly clock?: Pick<Clock, 'monotonicMs'>;
}

interface Claim {
  owner: string;
  /** The instant on the monotonic clock at which the claim is over. */
  expiresAt: number;
}

/** Claims between two removals of what has expired, so that keys nobody asks for again do not pile up. */
const CLAIMS_PER_SWEEP = 256;
const KEYS_PER_STEP = 1_000;

/**
 * The reference implementation of the contract: leases in a map of this process, seen by nobody else.
 *
 * Every method rejects with a typed error, and never throws synchronously.
 *
 * @example
 * ```ts
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * const provider = new MemoryLeaseProvider();
 * await provider.acquireLease('deploy', 'job-1', 15_000); // => { acquired: true, owner: 'job-1' }
 * await provider.acquireLease('deploy', 'job-2', 15_000); // => { acquired: false, owner: 'job-1' }
 * ```
 */
export class MemoryLeaseProvider extends ReportedLeases implements LeaseInspector, LeaseWatcher {
  readonly leaseTraits = { atomicTransfer: true, scope: 'process' } as const satisfies LeaseTraits;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #claims = new Map<string, Claim>();
  readonly #watches = new MemoryWatches();
  #claimsUntilSweep = CLAIMS_PER_SWEEP;
  #closed = false;

  constructor({ clock = systemClock }: MemoryLeaseOptions = {}) {
    super();
    this.#clock = clock;
  }

  async tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    this.#assertOpen();
    assertKey(key);
    assertOwner(owner);
    assertTtlMs(ttlMs);
    const claim = this.#find(key);
    if (claim && claim.owner !== owner) return this.#report(false, claim);
    const granted = { owner, expiresAt: this.#clock.monotonicMs() + ttlMs };
    this.#claims.set(key, granted);
    this.#watches.changed(key);
    this.#sweepNowAndThen();
    return { ...this.#report(true, granted), refreshed: claim !== undefined };
  }

  async tryRelease(key: string, owner: string): Promise<LeaseReport> {
    this.#assertOpen();
    assertKey(key);
    assertOwner(owner);
    const claim = this.#find(key);
    if (claim?.owner !== owner) return this.#report(false, claim);
    this.#claims.delete(key);
    this.#watches.changed(key);
    return { done: true };
  }

  async tryRenew(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    return this.tryTransfer(key, owner, owner, ttlMs);
  }

  async tryTransfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<LeaseReport> {
    this.#assertOpen();
    assertKey(key);
    assertOwner(fromOwner);
    assertOwner(toOwner);
    assertTtlMs(ttlMs);
    const claim = this.#find(key);
    if (claim?.owner !== fromOwner) return this.#report(false, claim);
    claim.owner = toOwner;
    claim.expiresAt = this.#clock.monotonicMs() + ttlMs;
    this.#watches.changed(key);
    return this.#report(true, claim);
  }

  async readLease(key: string): Promise<Lease | undefined> {
    this.#assertOpen();
    assertKey(key);
    return this.#lease(key);
  }

  async *listLeases({ signal, onProgress }: ListOptions = {}): AsyncGenerator<Lease, void, undefined> {
    this.#assertOpen();
    let scannedKeys = 0;
    // The keys of this instant: a live walk over a map meets a key again that was released and claimed meanwhile.
    for (const key of [...this.#claims.keys()]) {
      signal?.throwIfAborted();
      this.#assertOpen();
      scannedKeys += 1;
      const lease = this.#lease(key);
      if (lease) yield lease;
      if (scannedKeys % KEYS_PER_STEP === 0) onProgress?.({ scannedKeys });
    }
    signal?.throwIfAborted();
    onProgress?.({ scannedKeys });
  }

  /** Tells each change as it is made; costs nothing while nobody watches. */
  watchLeases(options: WatchOptions): AsyncIterable<LeaseChange> {
    const leases = { find: (key: string) => this.#lease(key), keys: () => this.#claims.keys() };
    return this.#watches.watch(leases, options, this.#clock);
  }

  /** Forgets every lease; calls after this one reject with `ERR_LEASE_CLOSED`. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#claims.clear();
    this.#watches.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw new ClosedError('The lease provider was closed');
  }

  #find(key: string): Claim | undefined {
    const claim = this.#claims.get(key);
    return claim && claim.expiresAt > this.#clock.monotonicMs() ? claim : undefined;
  }

  #lease(key: string): Lease | undefined {
    const claim = this.#find(key);
    return claim && { key, owner: claim.owner, remainingMs: this.#remainingMs(claim) };
  }

  #report(done: boolean, claim: Claim | undefined): LeaseReport {
    return claim ? { done, holder: claim.owner, remainingMs: this.#remainingMs(claim) } : { done };
  }

  /** Rounded up, and never 0: the clock may have passed the end since the claim was found to be held. */
  #remainingMs(claim: Claim): number {
    return Math.max(1, Math.ceil(claim.expiresAt - this.#clock.monotonicMs()));
  }

  #sweepNowAndThen(): void {
    this.#claimsUntilSweep -= 1;
    if (this.#claimsUntilSweep > 0) return;
    this.#claimsUntilSweep = CLAIMS_PER_SWEEP;
    for (const key of this.#claims.keys()) if (!this.#find(key)) this.#claims.delete(key);
  }
}
