import type { Clause } from '../clause.js';
import { keepsOff } from '../keeps-off.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const renewalRace: Clause = {
  id: 'renewal-race',
  level: 'concurrency',
  sentence: 'A renewal that races with a hand-over touches neither the next owner nor its TTL.',
  source: SOURCES.renew,
  run: (trial) => keepsOff(trial, 'renewal', (actor, key) => actor.renew(key, 'a', LONG_TTL_MS)),
};
