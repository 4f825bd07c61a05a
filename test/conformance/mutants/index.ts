import type { Mutant } from './mutant.js';
import { WRONG_ACQUIRES } from './wrong-acquire.js';
import { WRONG_INSTANCES } from './wrong-instances.js';
import { WRONG_READS } from './wrong-read.js';
import { WRONG_RELEASES } from './wrong-release.js';
import { WRONG_RENEWALS } from './wrong-renew.js';
import { WRONG_SHAPES } from './wrong-shape.js';
import { WRONG_TEXTS } from './wrong-text.js';
import { WRONG_TRANSFERS } from './wrong-transfer.js';
import { WRONG_TTLS } from './wrong-ttl.js';

/** All wrong providers. */
export const MUTANTS: readonly Mutant[] = [
  ...WRONG_SHAPES,
  ...WRONG_ACQUIRES,
  ...WRONG_READS,
  ...WRONG_RELEASES,
  ...WRONG_RENEWALS,
  ...WRONG_TRANSFERS,
  ...WRONG_TTLS,
  ...WRONG_TEXTS,
  ...WRONG_INSTANCES,
];
