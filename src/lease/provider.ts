/**
 * The lease contract, kept exactly as Mastra declares it in `@mastra/core/events`.
 *
 * Guarantee: at most one owner holds a key at a time, for as long as it renews in time.
 * Non-guarantee: a lease does not fence. Losing or breaking it stops nobody; an owner that does not notice goes
 * on working beside the next one.
 */
export interface LeaseProvider {
  /**
   * Claims `key` for `owner` atomically, for `ttlMs` milliseconds. Claiming again as the same owner refreshes the
   * TTL. Success names the caller as `owner`; a refusal names the holder where it can be read.
   */
  acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult>;
  /** The current owner, or `undefined` when nobody holds `key`. */
  getLeaseOwner(key: string): Promise<string | undefined>;
  /** Gives `key` back. For anyone but the current owner this does nothing; ownership is checked atomically. */
  releaseLease(key: string, owner: string): Promise<void>;
  /** Extends the lease to `ttlMs` from now. `false` when it was lost; never creates or revives one. */
  renewLease(key: string, owner: string, ttlMs: number): Promise<boolean>;
  /**
   * Moves the lease to `toOwner` with a fresh TTL, without the key ever being free in between. `false` when
   * `fromOwner` no longer held it; the caller then acquires afresh.
   */
  transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean>;
}

/** What an acquire answered. `owner` is the caller on success and the holder, where readable, on refusal. */
export interface AcquireResult {
  acquired: boolean;
  owner?: string;
}

/** Who can see a backend's leases: one process, the processes of one host, or everyone who reaches a server. */
export type LeaseScope = 'process' | 'host' | 'network';

/** What a provider may declare about itself on an optional `leaseTraits` property. */
export interface LeaseTraits {
  /** Whether `transferLease` never leaves the key free in between. Absent: unstated. */
  readonly atomicTransfer?: boolean;
  /** Who can see the leases. Absent: unstated. */
  readonly scope?: LeaseScope;
}

/** The contract's methods, in the order in which they are reported. */
export const LEASE_METHODS = [
  'acquireLease',
  'getLeaseOwner',
  'releaseLease',
  'renewLease',
  'transferLease',
] as const satisfies readonly (keyof LeaseProvider)[];

/** The name of one method of the contract. */
export type LeaseMethod = (typeof LEASE_METHODS)[number];
