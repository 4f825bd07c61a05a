/** One lease as it was read. */
export interface Lease {
  readonly key: string;
  readonly owner: string;
  /** Milliseconds still left, or `null` for a lease that never expires. */
  readonly remainingMs: number | null;
  /** The stored key in hex, present only when its bytes are not UTF-8: `key` is then for display, not for use. */
  readonly keyHex?: string;
  /** The stored owner in hex, present only when its bytes are not UTF-8: `owner` is then for display, not for use. */
  readonly ownerHex?: string;
}

/** A lease as far as it could be seen: a provider that keeps the contract alone tells no time left. */
export interface SeenLease extends Omit<Lease, 'remainingMs'> {
  /** Milliseconds still left, `null` for no expiry; absent when it could not be read. */
  readonly remainingMs?: number | null;
}

/** How a listing goes on while it is read. */
export interface ListProgress {
  /** Keys of any kind looked at so far, on all nodes. */
  readonly scannedKeys: number;
  /** When the leases that come next were read, by the clock of the provider (`monotonicMs`), where that is known. */
  readonly readAtMs?: number;
}

/** Options of {@link LeaseInspector.listLeases}. */
export interface ListOptions {
  /** Stops the listing; the iteration then ends by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called between the steps of a listing. */
  readonly onProgress?: ((progress: ListProgress) => void) | undefined;
}

/** A provider's companion that can see more than the contract offers. Every method only reads. */
export interface LeaseInspector {
  /** Owner and time left in one round trip, or `undefined` when nobody holds `key`. */
  readLease(key: string): Promise<Lease | undefined>;
  /**
   * Every lease of this backend, streamed in no particular order, each once. An iteration that ends without
   * throwing saw everything; one that could not throws, `ERR_LEASE_INCOMPLETE` when part of the leases was seen.
   */
  listLeases(options?: ListOptions): AsyncIterable<Lease>;
}

/** Options of {@link LeaseWatcher.watchLeases}. */
export interface WatchOptions {
  /** Ends the watching; the iteration then returns. */
  readonly signal: AbortSignal;
  /** Only these keys. Without it every lease of the backend. */
  readonly keys?: readonly string[] | undefined;
}

/**
 * What a watcher tells. The stream begins with a snapshot, and after any gap there is one again: between its start and
 * its end every lease is told, and a key that was not is free.
 */
export type LeaseChange =
  | { readonly kind: 'snapshot-start' }
  | { readonly kind: 'snapshot-end' }
  /** These keys are held so now. `readAtMs`: when that was read, on the monotonic clock. */
  | { readonly kind: 'held'; readonly leases: readonly Lease[]; readonly readAtMs: number }
  /** Nobody holds these keys now. */
  | { readonly kind: 'free'; readonly keys: readonly string[]; readonly readAtMs: number }
  /** The view is live from the last snapshot on, and what keeping it so costs the server while nothing changes. */
  | {
      readonly kind: 'live';
      readonly how: 'pushed' | 'polling';
      /** Milliseconds between two looks, where it polls. */
      readonly intervalMs?: number;
      readonly commandsPerSecond: number;
      /** Why it polls where it could be pushed. */
      readonly why?: string;
    }
  /** Nothing is known any more; the watcher goes on trying, and says `live` when it is again. */
  | {
      readonly kind: 'stale';
      readonly reason: string;
      /** What to do about it, where that is known. */
      readonly remedy?: string;
    };

/** An inspector that tells changes as they happen. Only reads. */
export interface LeaseWatcher {
  /**
   * A snapshot, then changes, until the signal ends it. A lost backend is told as `stale` and never ends the stream. A
   * lease that ends is told at its end, by a countdown and one read, not when the server happens to delete it.
   */
  watchLeases(options: WatchOptions): AsyncIterable<LeaseChange>;
}

/** What a verb found, in the same round trip that did it. */
export interface LeaseReport {
  /** Whether the verb did what it says. */
  readonly done: boolean;
  /** The owner afterwards; absent when nobody holds the key. */
  readonly holder?: string;
  /** Milliseconds left afterwards, `null` for no expiry; absent when nobody holds the key. */
  readonly remainingMs?: number | null;
  /** Only on a successful acquire: whether the caller held the lease already. */
  readonly refreshed?: boolean;
}

/** The contract's verbs, answering in the same round trip what the contract leaves out. */
export interface LeaseReporter {
  tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseReport>;
  tryRelease(key: string, owner: string): Promise<LeaseReport>;
  tryRenew(key: string, owner: string, ttlMs: number): Promise<LeaseReport>;
  tryTransfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<LeaseReport>;
}
