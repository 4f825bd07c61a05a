import { type Clause, passed, Violation } from '../clause.js';
import { raceOfHolder } from '../race-of-holder.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const releaseRace: Clause = {
  id: 'release-race',
  level: 'concurrency',
  sentence: 'A release that races with a hand-over never takes the lease from the next owner.',
  source: SOURCES.release,
  isBusy: true,
  async run(trial) {
    const races = await raceOfHolder(trial, {
      here: (actor, key) => actor.release(key, 'a'),
      there: (actor, key) => actor.transfer(key, 'a', 'b', LONG_TTL_MS),
    });
    for (const { there: transfer, read, calls } of races) {
      const expected = transfer.answer === true ? 'b' : undefined;
      if (read.answer === expected) continue;
      throw new Violation(
        expected === 'b'
          ? 'b to hold the key it was handed: the release of a checked its owner and deleted another’s lease'
          : 'the key to be free: a released it, and the transfer did not happen',
        { calls },
      );
    }
    return passed(`${races.length} races`);
  },
};
