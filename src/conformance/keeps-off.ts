import type { Actor } from './actor.js';
import type { RecordedCall } from './call.js';
import { type Finding, notShown, passed, Violation } from './clause.js';
import { isWithin, shortTtlMs, waitUntilOver } from './timing.js';
import { together } from './together.js';
import { raceWithTransfer } from './transfer-race.js';
import type { Trial } from './trial.js';

/**
 * Races a call that gives `a` a long TTL against a transfer that gives `b` a short one. Whichever came first, `b` holds
 * the key afterwards, and no longer than its own TTL.
 */
export async function keepsOff(
  trial: Trial,
  what: string,
  other: (actor: Actor, key: string) => Promise<RecordedCall>,
): Promise<Finding> {
  const ttlMs = shortTtlMs(trial) * 2;
  const races = (await raceWithTransfer(trial, { ttlMs, other })).filter(
    ({ transfer }) => transfer.answer === true,
  );
  const last = races.at(-1)?.transfer;
  if (!last) return notShown('no transfer succeeded');
  for (const { transfer, read, calls } of races) {
    if (read.answer === 'b' || !isWithin(read, transfer, ttlMs)) continue;
    throw new Violation(`b to hold the key it was handed, whatever the ${what} of a came to`, { calls });
  }
  const latest = races.reduce((late, { transfer }) => (transfer.endMs > late.endMs ? transfer : late), last);
  await waitUntilOver(trial, latest, ttlMs);
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
}
