import type { Actor } from './actor.js';
import type { RecordedCall } from './call.js';
import { type Finding, passed, Violation } from './clause.js';
import { raceOfHolder } from './race-of-holder.js';
import { isWithin, measure, waitUntilOver } from './timing.js';
import { together } from './together.js';
import type { Trial } from './trial.js';

/**
 * Races a call that gives `a` a long TTL against a transfer that gives `b` a short one. Whichever came first, `b` holds
 * the key afterwards, and no longer than its own TTL. What may have come when the lease of `b` was over says nothing.
 */
export function keepsOff(
  trial: Trial,
  what: string,
  here: (actor: Actor, key: string) => Promise<RecordedCall>,
): Promise<Finding> {
  return measure(trial, async (shortMs) => {
    const ttlMs = shortMs * 2;
    const raced = await raceOfHolder(trial, {
      here,
      there: (actor, key) => actor.transfer(key, 'a', 'b', ttlMs),
    });
    const races = raced.filter(
      (race) => race.there.answer === true && isWithin(race.here, race.there, ttlMs),
    );
    const [first] = races;
    if (!first) return 'void';
    for (const { there: transfer, read, calls } of races) {
      if (read.answer === 'b' || !isWithin(read, transfer, ttlMs)) continue;
      throw new Violation(`b to hold the key it was handed, whatever the ${what} of a came to`, { calls });
    }
    const last = races.reduce(
      (latest, race) => (race.there.endMs > latest.there.endMs ? race : latest),
      first,
    );
    await waitUntilOver(trial, last.there, ttlMs);
    const reads = await together(races.map(({ key }) => trial.one.read(key)));
    for (const [index, { calls }] of races.entries()) {
      const read = reads[index];
      if (!read || read.answer === undefined) continue;
      throw new Violation(
        `the lease of b to be over after the ${ttlMs} ms that it was handed: the ${what} of a lengthened it`,
        { calls: [...calls, read] },
      );
    }
    return passed(`${races.length} races`);
  });
}
