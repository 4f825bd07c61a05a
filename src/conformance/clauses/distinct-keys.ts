import { isAcquired, namedOwner } from '../call.js';
import { type Clause, passed, Violation } from '../clause.js';
import { SOURCES } from '../sources.js';
import { PAIRS } from '../texts.js';
import { LONG_TTL_MS } from '../timing.js';
import { together } from '../together.js';
import type { Trial } from '../trial.js';

/** What differs before the scratch name. */
const BEFORE: Readonly<Record<string, string>> = {
  'a leading space': ' ',
  'a NUL at the start': '\0',
  'a star at the start': '*',
};

export const distinctKeys: Clause = {
  id: 'distinct-keys',
  level: 'contract',
  sentence: 'Keys that are not the same text are different keys, however alike.',
  source: SOURCES.keys,
  async run(trial) {
    const pairs = Object.entries(PAIRS).map(([name, [first, second]]) => {
      const base = trial.key();
      return keepApart(trial, name, `${base}:${first}`, `${base}:${second}`);
    });
    await together(pairs);
    // Only now: cut at what comes before the scratch name, a key might have been that of somebody else.
    const starts = Object.entries(BEFORE).map(([name, text]) => {
      const base = trial.key();
      return keepApart(trial, name, `${text}${base}`, base);
    });
    await together(starts);
    return passed(`${pairs.length + starts.length} pairs`);
  },
};

/** Holds two keys under two owners: what is done to one must not be seen at the other. */
async function keepApart(trial: Trial, name: string, first: string, second: string): Promise<void> {
  const { one } = trial;
  trial.adopt(first);
  trial.adopt(second);
  const claims = [await one.acquire(first, 'a', LONG_TTL_MS), await one.acquire(second, 'b', LONG_TTL_MS)];
  const reads = [await one.read(first), await one.read(second)];
  const released = await one.release(second, 'b');
  const afterRelease = await one.read(first);
  const again = await one.acquire(second, 'c', LONG_TTL_MS);
  const releasedToo = await one.release(first, 'a');
  const atLast = await one.read(second);
  const areApart =
    claims.every((claim, index) => isAcquired(claim) && namedOwner(claim) === ['a', 'b'][index]) &&
    reads.every(({ answer }, index) => answer === ['a', 'b'][index]) &&
    afterRelease.answer === 'a' &&
    isAcquired(again) &&
    atLast.answer === 'c';
  if (areApart) return;
  throw new Violation(`two keys that differ by ${name} not to touch each other`, {
    calls: [...claims, ...reads, released, afterRelease, again, releasedToo, atLast],
    note: name,
  });
}
