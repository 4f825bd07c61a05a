import { setTimeout } from 'node:timers/promises';
import type { AcquireResult } from '../../../src/lease/provider.js';
import { CorrectLeases, type Held, type LeaseServer } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

class NamesWhoHasReleased extends CorrectLeases {
  static readonly #last = new Map<string, string>();

  override async getLeaseOwner(key: string): Promise<string | undefined> {
    const owner = await super.getLeaseOwner(key);
    if (owner !== undefined) NamesWhoHasReleased.#last.set(key, owner);
    return owner ?? NamesWhoHasReleased.#last.get(key);
  }
}

class NamesAnExpiredOwner extends CorrectLeases {
  override getLeaseOwner(key: string): Promise<string | undefined> {
    return this.command(() => this.server.record(key)?.owner);
  }
}

/** Remembers what it read last, for a while, and forgets it only when it changes the key itself. */
class ReadsFromItsCache extends CorrectLeases {
  readonly #cache = new Map<string, { readonly owner: string | undefined; readonly untilMs: number }>();

  override async getLeaseOwner(key: string): Promise<string | undefined> {
    const cached = this.#cache.get(key);
    if (cached && cached.untilMs > this.server.now()) return cached.owner;
    const owner = await super.getLeaseOwner(key);
    this.#cache.set(key, { owner, untilMs: this.server.now() + 1_000 });
    return owner;
  }

  override acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    this.#cache.delete(key);
    return super.acquireLease(key, owner, ttlMs);
  }

  override releaseLease(key: string, owner: string): Promise<void> {
    this.#cache.delete(key);
    return super.releaseLease(key, owner);
  }

  override transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    this.#cache.delete(key);
    return super.transferLease(key, from, to, ttlMs);
  }
}

/** Who writes waits until a copy has it too; who reads looks at the copy alone. */
class ReadsFromACopy extends CorrectLeases {
  static readonly #copies = new WeakMap<LeaseServer, Map<string, Held | undefined>>();

  get #copy(): Map<string, Held | undefined> {
    const copy = ReadsFromACopy.#copies.get(this.server) ?? new Map();
    ReadsFromACopy.#copies.set(this.server, copy);
    return copy;
  }

  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const answer = await super.acquireLease(key, owner, ttlMs);
    if (answer.acquired) await this.#write(key);
    return answer;
  }

  override async releaseLease(key: string, owner: string): Promise<void> {
    await super.releaseLease(key, owner);
    await this.#write(key);
  }

  override async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    const isDone = await super.transferLease(key, from, to, ttlMs);
    if (isDone) await this.#write(key);
    return isDone;
  }

  override getLeaseOwner(key: string): Promise<string | undefined> {
    return this.command(() => {
      const held = this.#copy.get(key);
      return held && held.endsAt > this.server.now() ? held.owner : undefined;
    });
  }

  async #write(key: string): Promise<void> {
    await setTimeout(2);
    await this.command(() => this.#copy.set(key, this.server.find(key)));
  }
}

export const WRONG_READS: readonly Mutant[] = [
  mutant('read: an owner that has released', 'owner-read', NamesWhoHasReleased),
  mutant('read: an owner whose lease is over', 'expired-owner', NamesAnExpiredOwner),
  mutant('read: from a cache of the instance', 'two-instances', ReadsFromItsCache),
  mutant('read: from a copy that is written a moment later', 'linearizable', ReadsFromACopy),
];
