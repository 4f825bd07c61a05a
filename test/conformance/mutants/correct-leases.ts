import { setImmediate } from 'node:timers/promises';
import type { AcquireResult, LeaseProvider, LeaseTraits } from '../../../src/lease/provider.js';

/** A lease as the server keeps it. */
export interface Held {
  readonly owner: string;
  readonly endsAt: number;
}

/** What all instances of a provider share: the "server", whose commands are atomic. */
export class LeaseServer {
  readonly #leases = new Map<string, Held>();
  readonly #ever = new Set<string>();

  now(): number {
    return performance.now();
  }

  /** The lease that is held at this key now. */
  find(key: string): Held | undefined {
    const held = this.#leases.get(key);
    return held && held.endsAt > this.now() ? held : undefined;
  }

  /** The last lease at this key, over or not. */
  record(key: string): Held | undefined {
    return this.#leases.get(key);
  }

  put(key: string, owner: string, ttlMs: number): void {
    this.#ever.add(key);
    this.#leases.set(key, { owner, endsAt: this.now() + ttlMs });
  }

  /** Every key that ever had a lease. */
  get keysEver(): readonly string[] {
    return [...this.#ever];
  }

  delete(key: string): void {
    this.#leases.delete(key);
  }

  get keys(): readonly string[] {
    return [...this.#leases.keys()];
  }
}

/**
 * The contract kept, as plainly as can be: each verb goes to the server, is one command there, and comes back. The
 * mutants change one method each.
 */
export class CorrectLeases implements LeaseProvider {
  readonly leaseTraits: LeaseTraits = { atomicTransfer: true, scope: 'network' };
  readonly server: LeaseServer;
  #isClosed = false;

  constructor(server: LeaseServer) {
    this.server = server;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    return this.command(() => {
      const held = this.server.find(key);
      if (held && held.owner !== owner) return { acquired: false, owner: held.owner };
      assertTtl(ttlMs);
      this.server.put(key, owner, ttlMs);
      return { acquired: true, owner };
    });
  }

  getLeaseOwner(key: string): Promise<string | undefined> {
    return this.command(() => this.server.find(key)?.owner);
  }

  releaseLease(key: string, owner: string): Promise<void> {
    return this.command(() => {
      if (this.server.find(key)?.owner === owner) this.server.delete(key);
    });
  }

  renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.transferLease(key, owner, owner, ttlMs);
  }

  transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean> {
    return this.command(() => {
      assertTtl(ttlMs);
      if (this.server.find(key)?.owner !== fromOwner) return false;
      this.server.put(key, toOwner, ttlMs);
      return true;
    });
  }

  /** The way to the server and back. */
  protected async command<Answer>(run: () => Answer): Promise<Answer> {
    if (this.#isClosed) throw new Error('It is closed');
    await setImmediate();
    const answer = run();
    await setImmediate();
    return answer;
  }
}

function assertTtl(ttlMs: number): void {
  if (!Number.isInteger(ttlMs) || ttlMs < 1) throw new RangeError(`Not a TTL: ${ttlMs}`);
}
