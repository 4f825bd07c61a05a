import { CorrectLeases, LeaseServer } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

class AnswersNull extends CorrectLeases {
  override async getLeaseOwner(key: string): Promise<string | undefined> {
    return (await super.getLeaseOwner(key)) ?? (null as never);
  }
}

class NamesAnExpiredOwner extends CorrectLeases {
  override getLeaseOwner(key: string): Promise<string | undefined> {
    return this.command(() => this.server.record(key)?.owner);
  }
}

/** Remembers what it read last, for a while. */
class ReadsFromItsCache extends CorrectLeases {
  readonly #cache = new Map<string, { readonly owner: string | undefined; readonly untilMs: number }>();

  override async getLeaseOwner(key: string): Promise<string | undefined> {
    const cached = this.#cache.get(key);
    if (cached && cached.untilMs > this.server.now()) return cached.owner;
    const owner = await super.getLeaseOwner(key);
    this.#cache.set(key, { owner, untilMs: this.server.now() + 50 });
    return owner;
  }
}

/** Lets nobody renew or hand over what was not acquired by the same instance. */
class RemembersWhatItAcquired extends CorrectLeases {
  readonly #own = new Set<string>();

  override async acquireLease(key: string, owner: string, ttlMs: number) {
    const answer = await super.acquireLease(key, owner, ttlMs);
    if (answer.acquired) this.#own.add(key);
    return answer;
  }

  override async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    return this.#own.has(key) && super.transferLease(key, from, to, ttlMs);
  }
}

/** Each instance has a server of its own. */
class SharesNothing extends CorrectLeases {
  constructor() {
    super(new LeaseServer());
  }
}

export const WRONG_READS: readonly Mutant[] = [
  mutant('read: null when nobody holds the key', 'owner-read', AnswersNull),
  mutant('read: an owner whose lease is over', 'expired-owner', NamesAnExpiredOwner),
  mutant('read: from a cache of the instance', 'two-instances', ReadsFromItsCache),
  mutant('instances: an owner is known only where it acquired', 'two-instances', RemembersWhatItAcquired),
  mutant('instances: two share nothing', 'two-instances', SharesNothing),
];
