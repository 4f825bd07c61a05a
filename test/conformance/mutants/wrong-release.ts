import { setTimeout as sleep } from 'node:timers/promises';
import { CorrectLeases } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

class WithoutOwnerCheck extends CorrectLeases {
  override releaseLease(key: string): Promise<void> {
    return this.command(() => this.server.delete(key));
  }
}

class ThrowsWhenAbsent extends CorrectLeases {
  override releaseLease(key: string, owner: string): Promise<void> {
    if (!this.server.find(key)) throw new Error(`There is no lease ${key}`);
    return super.releaseLease(key, owner);
  }
}

class DoesNothing extends CorrectLeases {
  override async releaseLease(): Promise<void> {}
}

class GetThenDelete extends CorrectLeases {
  override async releaseLease(key: string, owner: string): Promise<void> {
    if ((await this.getLeaseOwner(key)) !== owner) return;
    await this.command(() => this.server.delete(key));
  }
}

class AnswersBeforeItIsDone extends CorrectLeases {
  override async releaseLease(key: string, owner: string): Promise<void> {
    void sleep(3).then(() => super.releaseLease(key, owner).catch(() => {}));
  }
}

/** What was to end the lease is not stopped, and ends whatever is held at its time. */
class LeavesTheTimer extends CorrectLeases {
  override releaseLease(key: string, owner: string): Promise<void> {
    return this.command(() => {
      const held = this.server.find(key);
      if (held?.owner !== owner) return;
      this.server.delete(key);
      setTimeout(() => this.server.delete(key), held.endsAt - this.server.now()).unref();
    });
  }
}

export const WRONG_RELEASES: readonly Mutant[] = [
  mutant('release: without owner check', 'release-by-other', WithoutOwnerCheck),
  mutant('release: throws when there is no lease', 'release-of-nothing', ThrowsWhenAbsent),
  mutant('release: does nothing', 'release-by-owner', DoesNothing),
  mutant('release: GET, then DEL', 'release-race', GetThenDelete),
  mutant('release: answers before it is done', 'release-by-owner', AnswersBeforeItIsDone),
  mutant('release: its timer goes on and ends the next lease', 'linearizable-expiry', LeavesTheTimer),
];
