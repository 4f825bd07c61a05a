import type { LeaseReport, LeaseReporter, SeenLease } from './inspector.js';
import type { AcquireResult, LeaseProvider } from './provider.js';

/** The contract's methods as views of a provider's own reports: what a report tells more is left out. */
export abstract class ReportedLeases implements LeaseProvider, LeaseReporter {
  abstract tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseReport>;
  abstract tryRelease(key: string, owner: string): Promise<LeaseReport>;
  abstract tryRenew(key: string, owner: string, ttlMs: number): Promise<LeaseReport>;
  abstract tryTransfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<LeaseReport>;
  abstract readLease(key: string): Promise<SeenLease | undefined>;

  /** Claims a key, or refreshes the lease of the same owner. A refusal names the holder. */
  async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const { done, holder } = await this.tryAcquire(key, owner, ttlMs);
    return { acquired: done, ...(holder !== undefined && { owner: holder }) };
  }

  /** The holder, or `undefined` when nobody holds the key. */
  async getLeaseOwner(key: string): Promise<string | undefined> {
    return (await this.readLease(key))?.owner;
  }

  /** Gives a key back; for anyone but its owner it does nothing. */
  async releaseLease(key: string, owner: string): Promise<void> {
    await this.tryRelease(key, owner);
  }

  /** Gives the lease `ttlMs` milliseconds from now; `false` when it was lost. */
  async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return (await this.tryRenew(key, owner, ttlMs)).done;
  }

  /** Moves the lease, never free in between, with `ttlMs` milliseconds from now; `false` when it was lost. */
  async transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean> {
    return (await this.tryTransfer(key, fromOwner, toOwner, ttlMs)).done;
  }
}
