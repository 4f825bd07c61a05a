import { isRefused } from '../call.js';
import { type Clause, passed, Violation } from '../clause.js';
import { SOURCES } from '../sources.js';
import { PAIRS } from '../texts.js';
import { LONG_TTL_MS } from '../timing.js';
import { together } from '../together.js';
import type { Trial } from '../trial.js';

export const distinctOwners: Clause = {
  id: 'distinct-owners',
  level: 'contract',
  sentence: 'Owners that are not the same text are different owners, however alike.',
  source: SOURCES.keys,
  async run(trial) {
    const pairs = Object.entries(PAIRS);
    await together(pairs.map(([name, [first, second]]) => keepApart(trial, name, first, second)));
    return passed(`${pairs.length} pairs`);
  },
};

/** Whoever is not the holder, byte for byte, is refused everything. */
async function keepApart(trial: Trial, name: string, holder: string, other: string): Promise<void> {
  const { one } = trial;
  const key = trial.key();
  const claim = await one.acquire(key, holder, LONG_TTL_MS);
  const acquire = await one.acquire(key, other, LONG_TTL_MS);
  const renew = await one.renew(key, other, LONG_TTL_MS);
  const transfer = await one.transfer(key, other, 'c', LONG_TTL_MS);
  const release = await one.release(key, other);
  const read = await one.read(key);
  const areApart =
    isRefused(acquire) && renew.answer === false && transfer.answer === false && read.answer === holder;
  if (areApart) return;
  throw new Violation(`two owners that differ by ${name} not to be taken for each other`, {
    calls: [claim, acquire, renew, transfer, release, read],
    note: name,
  });
}
