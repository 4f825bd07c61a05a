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
