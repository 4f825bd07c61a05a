import { type Clause, passed, Violation } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { SOURCES } from '../sources.js';
import { EARLY_TOLERANCE_MS, isWithin, measure } from '../timing.js';

/** From this part of the TTL on the lease is looked at over and over. */
const WATCHED_FROM = 0.8;
/** Seen last before this part of it was over, it proves too little. */
const TELLING = 0.94;
/** The rest between two looks, in milliseconds. */
const REST_MS = 2;

export const expiryNeverEarly: Clause = {
  id: 'expiry-never-early',
  level: 'contract',
  sentence: 'A lease lasts for its whole TTL.',
  source: SOURCES.acquire,
  run: (trial) =>
    measure(trial, async (shortMs) => {
      const ttlMs = shortMs * 2;
      const key = trial.key();
      const claim = await mustAcquire(trial.one, key, 'a', ttlMs);
      let lastSeenMs = 0;
      for (
        let atMs = ttlMs / 2;
        ;
        atMs = Math.max(trial.nowMs - claim.startMs + REST_MS, ttlMs * WATCHED_FROM)
      ) {
        await trial.sleepUntil(claim.startMs + atMs);
        const read = await trial.one.read(key);
        if (!isWithin(read, claim, ttlMs)) break;
        const afterMs = read.endMs - claim.startMs;
        if (read.answer !== 'a') {
          throw new Violation(
            `the lease to be held for ${ttlMs} ms: it was gone ${Math.round(afterMs)} ms after it was asked for`,
          );
        }
        lastSeenMs = afterMs;
      }
      if (lastSeenMs < ttlMs * TELLING) return 'void';
      return passed(
        `of ${ttlMs} ms it was seen held after ${Math.floor(lastSeenMs)} ms (tolerance ${EARLY_TOLERANCE_MS} ms)`,
      );
    }),
};
