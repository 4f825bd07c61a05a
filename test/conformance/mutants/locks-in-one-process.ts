import { setTimeout } from 'node:timers/promises';
import type { AcquireResult, LeaseProvider } from '../../../src/lease/provider.js';

/** Looks who holds the key and then takes it, one caller of this process after the other: others are not asked. */
export class LocksInOneProcess implements LeaseProvider {
  static #turn: Promise<unknown> = Promise.resolve();
  readonly #leases: LeaseProvider;

  constructor(leases: LeaseProvider) {
    this.#leases = leases;
  }

  acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const answer = LocksInOneProcess.#turn.then(() => this.#take(key, owner, ttlMs));
    LocksInOneProcess.#turn = answer.catch(() => {});
    return answer;
  }

  async #take(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const holder = await this.#leases.getLeaseOwner(key);
    if (holder !== undefined && holder !== owner) return { acquired: false, owner: holder };
    await setTimeout(3);
    const now = await this.#leases.getLeaseOwner(key);
    if (now !== undefined) await this.#leases.releaseLease(key, now);
    await this.#leases.acquireLease(key, owner, ttlMs);
    return { acquired: true, owner };
  }

  getLeaseOwner(key: string): Promise<string | undefined> {
    return this.#leases.getLeaseOwner(key);
  }

  releaseLease(key: string, owner: string): Promise<void> {
    return this.#leases.releaseLease(key, owner);
  }

  renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.#leases.renewLease(key, owner, ttlMs);
  }

  transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean> {
    return this.#leases.transferLease(key, fromOwner, toOwner, ttlMs);
  }
}
