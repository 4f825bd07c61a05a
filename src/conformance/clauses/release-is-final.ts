import { type Clause, passed, Violation } from '../clause.js';
import { raceOfHolder } from '../race-of-holder.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const releaseIsFinal: Clause = {
  id: 'release-is-final',
  level: 'concurrency',
  sentence:
    'What is released while it is being renewed is free afterwards: the renewal does not bring it back.',
  source: SOURCES.renew,
  isBusy: true,
  async run(trial) {
    const races = await raceOfHolder(trial, {
      here: (actor, key) => actor.renew(key, 'a', LONG_TTL_MS),
      there: (actor, key) => actor.release(key, 'a'),
    });
    const revived = races.find(({ read }) => read.answer !== undefined);
    if (!revived) return passed(`${races.length} races`);
    throw new Violation('the key to be free: a released it, and nobody acquired it since', {
      calls: revived.calls,
    });
  },
};
