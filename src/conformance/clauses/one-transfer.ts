import { type Clause, passed, Violation } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { inRounds } from '../rounds.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';
import { together } from '../together.js';

/** How many transfers are asked for at once. */
const TRANSFERS = 16;

export const oneTransfer: Clause = {
  id: 'one-transfer',
  level: 'concurrency',
  sentence:
    'Of many transfers at once from one owner exactly one succeeds, and its next owner holds the key.',
  source: SOURCES.transfer,
  isBusy: true,
  async run(trial) {
    const actors = trial.actors(TRANSFERS);
    const rounds = await inRounds(trial, { atLeast: 5, atMost: 30, withinMs: 500 }, async () => {
      const key = trial.key();
      const claim = await mustAcquire(trial.one, key, 'a', LONG_TTL_MS);
      const transfers = await together(
        actors.map((actor, index) => actor.transfer(key, 'a', `next-${index + 1}`, LONG_TTL_MS)),
      );
      const granted = transfers.filter(({ answer }) => answer === true);
      const read = await trial.one.read(key);
      if (granted.length !== 1) {
        throw new Violation(`one of ${TRANSFERS} transfers from a to succeed, ${granted.length} did`, {
          calls: [claim, ...granted.slice(0, 6), read],
        });
      }
      if (read.answer !== granted[0]?.args[2]) {
        throw new Violation('the next owner of the transfer that succeeded to hold the key', {
          calls: [claim, ...granted, read],
        });
      }
    });
    return passed(`${rounds} rounds of ${TRANSFERS} transfers`);
  },
};
