import type { Clause } from '../clause.js';
import { keepsOff } from '../keeps-off.js';
import { SOURCES } from '../sources.js';
import { LONG_TTL_MS } from '../timing.js';

export const refreshRace: Clause = {
  id: 'refresh-race',
  level: 'concurrency',
  sentence: 'Acquiring again while a hand-over is going on touches neither the next owner nor its TTL.',
  source: SOURCES.acquire,
  run: (trial) => keepsOff(trial, 'refresh', (actor, key) => actor.acquire(key, 'a', LONG_TTL_MS)),
};
