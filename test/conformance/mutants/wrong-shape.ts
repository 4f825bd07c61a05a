import { CorrectLeases } from './correct-leases.js';
import type { Mutant } from './mutant.js';

export const WRONG_SHAPES: readonly Mutant[] = [
  {
    name: 'shape: one method is missing',
    clause: 'methods',
    make: (server) => Object.assign(new CorrectLeases(server), { transferLease: undefined }),
  },
  {
    name: 'shape: release answers without a promise',
    clause: 'promises',
    make: (server) => Object.assign(new CorrectLeases(server), { releaseLease: () => {} }),
  },
  {
    name: 'shape: traits that cannot be read',
    clause: 'traits',
    make: (server) => Object.assign(new CorrectLeases(server), { leaseTraits: { atomicTransfer: 'yes' } }),
  },
];
