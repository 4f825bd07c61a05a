import { isRefused } from '../call.js';
import { type Clause, passed, reported } from '../clause.js';
import { raceOfHolder } from '../race-of-holder.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const atomicRefusal: Clause = {
  id: 'atomic-refusal',
  level: 'concurrency',
  sentence: 'A caller is refused only at a moment at which another owner holds the key.',
  source: SOURCES.acquire,
  isBusy: true,
  async run(trial) {
    const races = await raceOfHolder(trial, {
      here: (actor, key) => actor.acquire(key, 'a', LONG_TTL_MS),
      there: (actor, key) => actor.release(key, 'a'),
    });
    const refused = races.find(({ here }) => isRefused(here));
    if (!refused) return passed(`${races.length} races`);
    trial.setting.refusesInSteps = true;
    return reported(trial, 'atomic-refusal', {
      expected: 'a to be given the key, as its holder or afresh: nobody else ever held it',
      note: 'the holder was refused while its lease was released elsewhere: refusals are made in several steps',
      calls: refused.calls,
    });
  },
};
