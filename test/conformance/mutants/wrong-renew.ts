import { CorrectLeases } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

class WithoutOwnerCheck extends CorrectLeases {
  override renewLease(key: string, _owner: string, ttlMs: number): Promise<boolean> {
    return this.command(() => {
      const held = this.server.find(key);
      if (held) this.server.put(key, held.owner, ttlMs);
      return held !== undefined;
    });
  }
}

class Revives extends CorrectLeases {
  override renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.command(() => {
      if (this.server.record(key)?.owner !== owner) return false;
      this.server.put(key, owner, ttlMs);
      return true;
    });
  }
}

class Creates extends CorrectLeases {
  override async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return (await this.acquireLease(key, owner, ttlMs)).acquired;
  }
}

class ZeroDeletes extends CorrectLeases {
  override renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.command(() => {
      if (this.server.find(key)?.owner !== owner) return false;
      this.server.put(key, owner, ttlMs);
      return true;
    });
  }
}

class DoesNotExtend extends CorrectLeases {
  override async renewLease(key: string, owner: string): Promise<boolean> {
    return (await this.getLeaseOwner(key)) === owner;
  }
}

class AddsToWhatIsLeft extends CorrectLeases {
  override async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    const held = this.server.find(key);
    return super.renewLease(key, owner, Math.ceil(ttlMs + (held ? held.endsAt - this.server.now() : 0)));
  }
}

class OnlyWhileHalfIsLeft extends CorrectLeases {
  override async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    const held = this.server.find(key);
    const isEarly = held !== undefined && held.endsAt - this.server.now() > ttlMs / 2;
    return isEarly ? super.renewLease(key, owner, ttlMs) : held?.owner === owner;
  }
}

class OnlyAFewTimes extends CorrectLeases {
  readonly #renewals = new Map<string, number>();

  override async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    const renewals = (this.#renewals.get(key) ?? 0) + 1;
    this.#renewals.set(key, renewals);
    return renewals <= 4 && super.renewLease(key, owner, ttlMs);
  }
}

class AlwaysSaysNo extends CorrectLeases {
  override async renewLease(): Promise<boolean> {
    return false;
  }
}

class GetThenExpire extends CorrectLeases {
  override async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    if ((await this.getLeaseOwner(key)) !== owner) return false;
    return this.command(() => {
      const held = this.server.find(key);
      if (held) this.server.put(key, held.owner, ttlMs);
      return held !== undefined;
    });
  }
}

class RevivesWhatIsReleasedMeanwhile extends CorrectLeases {
  override async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    if ((await this.getLeaseOwner(key)) !== owner) return false;
    return this.command(() => {
      const held = this.server.find(key);
      if (held && held.owner !== owner) return false;
      this.server.put(key, owner, ttlMs);
      return true;
    });
  }
}

class GetThenSet extends CorrectLeases {
  override async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    if ((await this.getLeaseOwner(key)) !== owner) return false;
    await this.command(() => this.server.put(key, owner, ttlMs));
    return true;
  }
}

export const WRONG_RENEWALS: readonly Mutant[] = [
  mutant('renew: always says no', 'renew-by-owner', AlwaysSaysNo),
  mutant('renew: without owner check', 'renew-by-other', WithoutOwnerCheck),
  mutant('renew: revives what is over', 'renew-after-expiry', Revives),
  mutant('renew: creates a lease', 'renew-of-nothing', Creates),
  mutant('renew: a TTL of 0 deletes', 'safe-ttl', ZeroDeletes, 'safe-ttl'),
  mutant('renew: does not extend', 'renew-full-ttl', DoesNotExtend),
  mutant('renew: adds to what is left', 'renew-full-ttl', AddsToWhatIsLeft),
  mutant('renew: extends only while half of it is left', 'renewed-in-time', OnlyWhileHalfIsLeft),
  mutant('renew: only a few times', 'renewed-in-time', OnlyAFewTimes),
  mutant('renew: GET, then PEXPIRE', 'renewal-race', GetThenExpire),
  mutant('renew: GET, then SET', 'renewal-race', GetThenSet),
  mutant('renew: revives what is released meanwhile', 'release-is-final', RevivesWhatIsReleasedMeanwhile),
];
