import type { Actor } from './actor.js';
import type { RecordedCall } from './call.js';
import { mustAcquire } from './expectations.js';
import { inRounds } from './rounds.js';
import { LONG_TTL_MS } from './timing.js';
import { together } from './together.js';
import type { Trial } from './trial.js';

/** Two calls on a key that `a` holds, made at the same time. */
interface HolderRace {
  /** By the instance that acquired. */
  readonly here: (actor: Actor, key: string) => Promise<RecordedCall>;
  /** By that one or another. */
  readonly there: (actor: Actor, key: string) => Promise<RecordedCall>;
}

/** One race: what was answered, and who holds the key right afterwards. */
export interface RacedKey {
  readonly key: string;
  readonly here: RecordedCall;
  readonly there: RecordedCall;
  readonly read: RecordedCall;
  /** All calls that were made. */
  readonly calls: readonly RecordedCall[];
}

/** How many keys are raced for at once. */
const KEYS = 12;

/** Races two calls of the holder, on one instance or two, either first. Each key is raced for once. */
export async function raceOfHolder(trial: Trial, { here, there }: HolderRace): Promise<readonly RacedKey[]> {
  const races: RacedKey[] = [];
  await inRounds(trial, { atLeast: 4, atMost: 12, withinMs: 500 }, async () => {
    const keys = Array.from({ length: KEYS }, () => trial.key());
    const raced = keys.map(async (key, index): Promise<RacedKey> => {
      const { one } = trial;
      const other = index % 4 < 2 ? one : trial.two;
      const claim = await mustAcquire(one, key, 'a', LONG_TTL_MS);
      const calling =
        index % 2 === 0
          ? ([here(one, key), there(other, key)] as const)
          : ([there(other, key), here(one, key)] as const);
      const [first, second] = await together(calling);
      const read = await one.read(key);
      const [fromHere, fromThere] = index % 2 === 0 ? [first, second] : [second, first];
      return { key, here: fromHere, there: fromThere, read, calls: [claim, first, second, read] };
    });
    races.push(...(await together(raced)));
  });
  return races;
}
