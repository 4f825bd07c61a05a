import type { AcquireResult } from '../../../src/lease/provider.js';
import { CorrectLeases } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

class AlwaysAcquires extends CorrectLeases {
  override acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    return this.command(() => {
      this.server.put(key, owner, ttlMs);
      return { acquired: true, owner };
    });
  }
}

class NamesAnotherOwner extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const answer = await super.acquireLease(key, owner, ttlMs);
    return answer.acquired ? { acquired: true, owner: `${owner}:1` } : answer;
  }
}

class NamesNobody extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const answer = await super.acquireLease(key, owner, ttlMs);
    return answer.acquired ? { acquired: true } : answer;
  }
}

class NotIdempotent extends CorrectLeases {
  override acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    return this.command(() => {
      const held = this.server.find(key);
      if (held) return { acquired: false, owner: held.owner };
      this.server.put(key, owner, ttlMs);
      return { acquired: true, owner };
    });
  }
}

class DoesNotRefresh extends CorrectLeases {
  override acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    return this.command(() => {
      const held = this.server.find(key);
      if (!held) this.server.put(key, owner, ttlMs);
      return { acquired: !held || held.owner === owner, owner: held?.owner ?? owner };
    });
  }
}

class AddsToWhatIsLeft extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const held = this.server.find(key);
    const leftMs = held?.owner === owner ? held.endsAt - this.server.now() : 0;
    return super.acquireLease(key, owner, Math.ceil(ttlMs + leftMs));
  }
}

class RefusesWithoutHolder extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const answer = await super.acquireLease(key, owner, ttlMs);
    return answer.acquired ? answer : { acquired: false };
  }
}

class RefusesInTheNameOfTheCaller extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    return { ...(await super.acquireLease(key, owner, ttlMs)), owner };
  }
}

class RefusalLengthens extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const answer = await super.acquireLease(key, owner, ttlMs);
    if (!answer.acquired && answer.owner) this.server.put(key, answer.owner, ttlMs);
    return answer;
  }
}

class GetThenSet extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const holder = await this.getLeaseOwner(key);
    if (holder !== undefined && holder !== owner) return { acquired: false, owner: holder };
    await this.command(() => this.server.put(key, owner, ttlMs));
    return { acquired: true, owner };
  }
}

class GetThenExpire extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    if ((await this.getLeaseOwner(key)) !== owner) return super.acquireLease(key, owner, ttlMs);
    await this.command(() => {
      const held = this.server.find(key);
      if (held) this.server.put(key, held.owner, ttlMs);
    });
    return { acquired: true, owner };
  }
}

/** Asks "does it exist", "is it mine" and "whose is it" one after the other, as Mastra's own on Redis does. */
class RefusesInSteps extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const isNew = await this.command(() => {
      if (this.server.find(key)) return false;
      this.server.put(key, owner, ttlMs);
      return true;
    });
    if (isNew || (await this.renewLease(key, owner, ttlMs))) return { acquired: true, owner };
    const holder = await this.getLeaseOwner(key);
    return { acquired: false, ...(holder !== undefined && { owner: holder }) };
  }
}

/** A new key is claimed in one step, the key of a lease that is over in two. */
class TakesOverInTwoSteps extends CorrectLeases {
  override async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    const isOver = await this.command(() => this.server.record(key) && !this.server.find(key));
    if (!isOver) return super.acquireLease(key, owner, ttlMs);
    await this.command(() => this.server.put(key, owner, ttlMs));
    return { acquired: true, owner };
  }
}

export const WRONG_ACQUIRES: readonly Mutant[] = [
  mutant('acquire: always grants', 'refusal', AlwaysAcquires),
  mutant('acquire: success names another owner', 'acquire-names-caller', NamesAnotherOwner),
  mutant('acquire: success names nobody', 'acquire-names-caller', NamesNobody),
  mutant('acquire: not idempotent', 'reacquire', NotIdempotent),
  mutant('acquire: again, without refresh', 'reacquire-refreshes', DoesNotRefresh),
  mutant('acquire: again, adds to what is left', 'reacquire-refreshes', AddsToWhatIsLeft),
  mutant('acquire: refusal without holder', 'refusal-names-holder', RefusesWithoutHolder),
  mutant('acquire: refusal names the caller', 'refusal-names-holder', RefusesInTheNameOfTheCaller),
  mutant('acquire: a refusal lengthens the lease', 'refusals-keep-ttl', RefusalLengthens),
  mutant('acquire: GET, then SET', 'one-winner', GetThenSet),
  mutant('acquire: GET, then PEXPIRE to refresh', 'refresh-race', GetThenExpire),
  mutant('acquire: refuses in several steps', 'atomic-refusal', RefusesInSteps, 'atomic-refusal'),
  mutant('acquire: takes what is over in two steps', 'expiry-race', TakesOverInTwoSteps),
];
