import { isAcquired } from '../call.js';
import type { Clause } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { fullTtl } from '../full-ttl.js';
import { SOURCES } from '../sources.js';

export const reacquireRefreshes: Clause = {
  id: 'reacquire-refreshes',
  level: 'contract',
  sentence: 'Acquiring again as the holder gives the whole TTL again, no less and no more.',
  source: SOURCES.acquire,
  run: (trial) =>
    fullTtl(trial, {
      what: 'acquired again',
      again: (actor, key, _round, ttlMs) => actor.acquire(key, 'a', ttlMs),
      isGranted: isAcquired,
      claim: (actor, key, ttlMs) => mustAcquire(actor, key, 'a', ttlMs),
    }),
};
