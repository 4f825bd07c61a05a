import { CorrectLeases } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

class WithoutOwnerCheck extends CorrectLeases {
  override transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    if (from === to) return super.transferLease(key, from, to, ttlMs);
    return this.command(() => {
      if (!this.server.find(key)) return false;
      this.server.put(key, to, ttlMs);
      return true;
    });
  }
}

class KeepsTheOldTtl extends CorrectLeases {
  override async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    if (from === to) return super.transferLease(key, from, to, ttlMs);
    return this.command(() => {
      const held = this.server.find(key);
      if (held?.owner !== from) return false;
      this.server.put(key, to, held.endsAt - this.server.now());
      return true;
    });
  }
}

/** Exported: its interleaving is shown in the documentation. */
export class ReleasesThenAcquires extends CorrectLeases {
  override async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    if (from === to) return super.transferLease(key, from, to, ttlMs);
    if ((await this.getLeaseOwner(key)) !== from) return false;
    await this.releaseLease(key, from);
    return (await this.acquireLease(key, to, ttlMs)).acquired;
  }
}

/** The same, said: the contract allows it. */
export class SaysItReleasesThenAcquires extends ReleasesThenAcquires {
  override readonly leaseTraits = { atomicTransfer: false, scope: 'network' } as const;
}

class Creates extends CorrectLeases {
  override transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    return this.command(() => {
      const held = this.server.find(key);
      if (held && held.owner !== from) return false;
      if (from === to && !held) return false;
      this.server.put(key, to, ttlMs);
      return true;
    });
  }
}

class Revives extends CorrectLeases {
  override transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    if (from === to) return super.transferLease(key, from, to, ttlMs);
    return this.command(() => {
      if (this.server.record(key)?.owner !== from) return false;
      this.server.put(key, to, ttlMs);
      return true;
    });
  }
}

class MovesNothing extends CorrectLeases {
  override async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    return super.transferLease(key, from, from === to ? to : from, ttlMs);
  }
}

class GetThenSet extends CorrectLeases {
  override async transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    if (from === to) return super.transferLease(key, from, to, ttlMs);
    if ((await this.getLeaseOwner(key)) !== from) return false;
    await this.command(() => this.server.put(key, to, ttlMs));
    return true;
  }
}

export const WRONG_TRANSFERS: readonly Mutant[] = [
  mutant('transfer: without owner check', 'transfer-by-other', WithoutOwnerCheck),
  mutant('transfer: keeps the old TTL', 'transfer-full-ttl', KeepsTheOldTtl),
  mutant('transfer: release, then acquire, declared atomic', 'atomic-transfer', ReleasesThenAcquires),
  mutant(
    'transfer: release, then acquire, declared so, where atomic is required',
    'atomic-transfer',
    SaysItReleasesThenAcquires,
    'atomic-transfer',
  ),
  mutant('transfer: creates a lease', 'transfer-of-nothing', Creates),
  mutant('transfer: revives what is over', 'transfer-after-expiry', Revives),
  mutant('transfer: answers true and moves nothing', 'transfer-by-owner', MovesNothing),
  mutant('transfer: GET, then SET', 'one-transfer', GetThenSet),
];
