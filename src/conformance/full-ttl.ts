import type { Actor } from './actor.js';
import type { RecordedCall } from './call.js';
import { type Finding, passed, Violation } from './clause.js';
import { isWithin, LONG_TTL_MS, measure, waitUntilOver } from './timing.js';
import type { Trial } from './trial.js';

/** A verb that gives a held lease its TTL again. */
interface Extension {
  /** What it did, as in "was renewed". */
  readonly what: string;
  readonly claim: (actor: Actor, key: string, ttlMs: number) => Promise<RecordedCall>;
  /** Makes the call; `round` counts those made on the key before. */
  readonly again: (actor: Actor, key: string, round: number, ttlMs: number) => Promise<RecordedCall>;
  readonly isGranted: (call: RecordedCall) => boolean;
}

/** How often in a row a lease is extended: what adds to the time left shows after a few. */
const ROUNDS = 3;

/**
 * Two leases of a short TTL. One is extended by a long one and must outlive its first TTL; the other is extended several
 * times by the same short one and must be over one TTL after the last.
 */
export function fullTtl(trial: Trial, { what, claim, again, isGranted }: Extension): Promise<Finding> {
  return measure(trial, async (ttlMs) => {
    const { one } = trial;
    const [longer, same] = [trial.key(':longer'), trial.key(':same')];
    const first = await claim(one, longer, ttlMs);
    const extension = await again(one, longer, 0, LONG_TTL_MS);
    if (!isGranted(extension)) {
      if (!isWithin(extension, first, ttlMs)) return 'void';
      throw new Violation(`a lease that is held can be ${what}`);
    }
    let last = await claim(one, same, ttlMs);
    for (let round = 0; round < ROUNDS; round += 1) {
      const call = await again(one, same, round, ttlMs);
      if (!isGranted(call)) {
        if (!isWithin(call, last, ttlMs)) return 'void';
        throw new Violation(`a lease that is held can be ${what}`);
      }
      last = call;
    }
    await waitUntilOver(trial, last, ttlMs);
    const stillHeld = await one.read(longer);
    if (typeof stillHeld.answer !== 'string') {
      throw new Violation(
        `a lease of ${ttlMs} ms that was ${what} for ${LONG_TTL_MS} ms to be held after ${ttlMs} ms`,
      );
    }
    const over = await one.read(same);
    if (over.answer !== undefined) {
      throw new Violation(
        `a lease that was last ${what} for ${ttlMs} ms to be over ${ttlMs} ms later, with ${trial.setting.expiryToleranceMs} ms of tolerance`,
      );
    }
    // After a pause of the machine what was added to the TTL may be over, too.
    if (over.endMs - last.startMs > 2 * ttlMs + trial.setting.expiryToleranceMs) return 'void';
    return passed(`tolerance ${trial.setting.expiryToleranceMs} ms`);
  });
}
