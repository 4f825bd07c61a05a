import type { LeaseProvider } from '../../../src/lease/provider.js';
import { CorrectLeases, LeaseServer } from './correct-leases.js';
import type { Mutant } from './mutant.js';

/** A mutant that has something in the place of what is right. */
function reshaped(name: string, clause: string, change: (right: LeaseProvider) => object): Mutant {
  const start = () => {
    const server = new LeaseServer();
    return { factory: () => Object.assign(new CorrectLeases(server), change(new CorrectLeases(server))) };
  };
  return { name, clause, start };
}

type Args<Method extends keyof LeaseProvider> = Parameters<LeaseProvider[Method]>;

export const WRONG_SHAPES: readonly Mutant[] = [
  reshaped('shape: one method is missing', 'methods', () => ({ transferLease: undefined })),
  reshaped('shape: release answers without a promise', 'promises', () => ({ releaseLease: () => {} })),
  reshaped('shape: traits that cannot be read', 'traits', () => ({ leaseTraits: { atomicTransfer: 'yes' } })),
  reshaped('acquire: a bare true', 'result-shapes', (right) => ({
    acquireLease: async (...args: Args<'acquireLease'>) => (await right.acquireLease(...args)).acquired,
  })),
  reshaped('read: null when nobody holds the key', 'result-shapes', (right) => ({
    getLeaseOwner: async (key: string) => (await right.getLeaseOwner(key)) ?? null,
  })),
  reshaped('renew: answers undefined', 'result-shapes', (right) => ({
    renewLease: async (...args: Args<'renewLease'>) => void (await right.renewLease(...args)),
  })),
  reshaped('renew: answers 1 or 0', 'result-shapes', (right) => ({
    renewLease: async (...args: Args<'renewLease'>) => Number(await right.renewLease(...args)),
  })),
];
