import type { LeaseMethod } from '../../lease/provider.js';
import type { ClientPlan, Step } from '../endpoint.js';
import type { Random } from '../random.js';

/** What random clients do. */
export interface ProgramOptions {
  readonly clients: number;
  readonly keys: readonly string[];
  /** How many calls each client makes. */
  readonly steps: number;
  /** Milliseconds. */
  readonly ttlMs: number;
  /** The longest rest between two calls, in milliseconds; 0 for none. */
  readonly restMs: number;
  readonly hasTransfers: boolean;
}

const VERBS: readonly LeaseMethod[] = [
  'acquireLease',
  'acquireLease',
  'acquireLease',
  'getLeaseOwner',
  'getLeaseOwner',
  'releaseLease',
  'renewLease',
  'transferLease',
  'transferLease',
];

/** Few, so that several clients often act for the same one: owners are texts. */
const OWNERS = 3;

/** Random clients: the same for the same random numbers. */
export function makeProgram(random: Random, options: ProgramOptions): readonly ClientPlan[] {
  const owners = Array.from({ length: OWNERS }, (_, index) => `owner-${index + 1}`);
  return Array.from({ length: options.clients }, (_, index) => ({
    client: `client ${index + 1}`,
    steps: Array.from({ length: options.steps }, () =>
      makeStep(random, owners[index % OWNERS] ?? 'owner-1', owners, options),
    ),
  }));
}

function makeStep(
  random: Random,
  owner: string,
  owners: readonly string[],
  { keys, ttlMs, restMs, hasTransfers }: ProgramOptions,
): Step {
  const key = random.pick(keys);
  const verb = random.pick(VERBS);
  const method = verb === 'transferLease' && !hasTransfers ? 'renewLease' : verb;
  // Often in the name of another: owners are texts, and calls of one owner at several places have to add up too.
  const holder = random.below(2) === 0 ? random.pick(owners) : owner;
  const rest = {
    restTurns: Math.max(0, random.below(4) - 2),
    ...(restMs > 0 && random.below(2) === 0 && { restMs: random.below(restMs) }),
  };
  switch (method) {
    case 'acquireLease':
    case 'renewLease':
      return { method, args: [key, holder, ttlMs], ...rest };
    case 'getLeaseOwner':
      return { method, args: [key], ...rest };
    case 'releaseLease':
      return { method, args: [key, holder], ...rest };
    case 'transferLease':
      return { method, args: [key, holder, random.pick(owners), ttlMs], ...rest };
  }
}
