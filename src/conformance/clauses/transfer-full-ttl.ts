import type { Clause } from '../clause.js';
import { mustAcquire } from '../expectations.js';
import { fullTtl } from '../full-ttl.js';
import { SOURCES } from '../sources.js';

const OWNERS = ['a', 'b', 'c', 'd', 'e'];

export const transferFullTtl: Clause = {
  id: 'transfer-full-ttl',
  level: 'contract',
  sentence: 'A transfer gives the whole TTL again, no less and no more.',
  source: SOURCES.transfer,
  run: (trial) =>
    fullTtl(trial, {
      what: 'transferred',
      again: (actor, key, round, ttlMs) =>
        actor.transfer(key, OWNERS[round] ?? 'a', OWNERS[round + 1] ?? 'a', ttlMs),
      isGranted: ({ answer }) => answer === true,
      claim: (actor, key, ttlMs) => mustAcquire(actor, key, 'a', ttlMs),
    }),
};
