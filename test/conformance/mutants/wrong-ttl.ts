import type { AcquireResult } from '../../../src/lease/provider.js';
import { CorrectLeases } from './correct-leases.js';
import { type Mutant, mutant } from './mutant.js';

/** Changes every TTL on its way to the server. */
abstract class WithAnotherTtl extends CorrectLeases {
  abstract ttlOf(ttlMs: number): number;

  override acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    return super.acquireLease(key, owner, this.ttlOf(ttlMs));
  }

  override transferLease(key: string, from: string, to: string, ttlMs: number): Promise<boolean> {
    return super.transferLease(key, from, to, this.ttlOf(ttlMs));
  }
}

class IgnoresTheTtl extends WithAnotherTtl {
  ttlOf(): number {
    return 86_400_000;
  }
}

class TakesSecondsForMilliseconds extends WithAnotherTtl {
  ttlOf(ttlMs: number): number {
    return ttlMs * 1_000;
  }
}

class WholeSecondsOnly extends WithAnotherTtl {
  ttlOf(ttlMs: number): number {
    return Math.max(1, Math.floor(ttlMs / 1_000) * 1_000);
  }
}

class NeverLessThanASecond extends WithAnotherTtl {
  ttlOf(ttlMs: number): number {
    return Math.max(ttlMs, 1_000);
  }
}

class NeverMoreThanTwoSeconds extends WithAnotherTtl {
  ttlOf(ttlMs: number): number {
    return Math.min(ttlMs, 2_000);
  }
}

class EndsATenthEarly extends WithAnotherTtl {
  ttlOf(ttlMs: number): number {
    return Math.max(1, Math.floor(ttlMs * 0.9));
  }
}

class NotANumberIsForEver extends WithAnotherTtl {
  ttlOf(ttlMs: number): number {
    return Number.isFinite(ttlMs) ? ttlMs : 86_400_000;
  }
}

export const WRONG_TTLS: readonly Mutant[] = [
  mutant('TTL: ignored', 'expiry-in-time', IgnoresTheTtl),
  mutant('TTL: taken for seconds', 'expiry-in-time', TakesSecondsForMilliseconds),
  mutant('TTL: cut to whole seconds', 'expiry-never-early', WholeSecondsOnly),
  mutant('TTL: a tenth too short', 'expiry-never-early', EndsATenthEarly),
  mutant('TTL: never less than a second', 'expiry-in-time', NeverLessThanASecond),
  mutant('TTL: never more than two seconds', 'long-ttl', NeverMoreThanTwoSeconds),
  mutant('TTL: NaN lasts for ever', 'safe-ttl', NotANumberIsForEver, 'safe-ttl'),
];
