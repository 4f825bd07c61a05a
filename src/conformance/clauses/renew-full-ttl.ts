import type { Clause } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { fullTtl } from '../full-ttl.js';
import { SOURCES } from '../sources.js';

export const renewFullTtl: Clause = {
  id: 'renew-full-ttl',
  level: 'contract',
  sentence: 'A renewal gives the whole TTL again, no less and no more.',
  source: SOURCES.renew,
  run: (trial) =>
    fullTtl(trial, {
      what: 'renewed',
      again: (actor, key, _round, ttlMs) => actor.renew(key, 'a', ttlMs),
      isGranted: ({ answer }) => answer === true,
      claim: (actor, key, ttlMs) => mustAcquire(actor, key, 'a', ttlMs),
    }),
};
