import type { Actor } from './actor.js';
import type { RecordedCall } from './call.js';
import { mustAcquire } from './expectations.js';
import { Rounds } from './rounds.js';
import { LONG_TTL_MS } from './timing.js';
import { together } from './together.js';
import type { Trial } from './trial.js';

/** A call by the holder at the very time of a hand-over. */
interface RaceOptions {
  /** The TTL of the transfer, in milliseconds. */
  readonly ttlMs: number;
  readonly other: (actor: Actor, key: string) => Promise<RecordedCall>;
}

/** One race: who holds the key afterwards, and all calls that were made. */
export interface Race {
  readonly key: string;
  readonly other: RecordedCall;
  readonly transfer: RecordedCall;
  /** Right afterwards. */
  readonly read: RecordedCall;
  readonly calls: readonly RecordedCall[];
}

/** How many keys are raced for at once. */
const KEYS = 12;

/**
 * Races a transfer from `a` to `b` against another call of `a`, on one instance or two, either first. Each key is raced
 * for once.
 */
export async function raceWithTransfer(
  trial: Trial,
  { ttlMs, other }: RaceOptions,
): Promise<readonly Race[]> {
  const races: Race[] = [];
  const rounds = new Rounds(trial, { atLeast: 4, atMost: 12, withinMs: 500 });
  while (rounds.next()) {
    const keys = Array.from({ length: KEYS }, () => trial.key());
    const raced = keys.map(async (key, index): Promise<Race> => {
      const holder = trial.one;
      const sender = index % 4 < 2 ? trial.one : trial.two;
      const claim = await mustAcquire(holder, key, 'a', LONG_TTL_MS);
      const isOtherFirst = index % 2 === 0;
      const first = isOtherFirst ? other(holder, key) : sender.transfer(key, 'a', 'b', ttlMs);
      const second = isOtherFirst ? sender.transfer(key, 'a', 'b', ttlMs) : other(holder, key);
      const [one, two] = await together([first, second]);
      const read = await trial.one.read(key);
      return {
        key,
        other: isOtherFirst ? one : two,
        transfer: isOtherFirst ? two : one,
        read,
        calls: [claim, one, two, read],
      };
    });
    races.push(...(await together(raced)));
  }
  return races;
}
