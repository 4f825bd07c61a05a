import { type Claim, HOLDER, type Outcome, type Situation } from './cell.js';
import type { LibraryAnswer, LibraryVerb } from './library-protocol.js';

interface LibrarySituation extends Situation {
  readonly verb: LibraryVerb;
}

const READ = { surface: 'library', isHeld: true, isWrite: false } as const;
const WRITE = { surface: 'library', isHeld: true, isWrite: true } as const;

export const LIBRARY_VERBS: readonly LibrarySituation[] = [
  { ...READ, verb: 'getLeaseOwner' },
  { ...READ, verb: 'readLease' },
  { ...READ, verb: 'listLeases' },
  { ...WRITE, verb: 'acquireLease', isHeld: false },
  { ...WRITE, verb: 'acquireLease (held)' },
  { ...WRITE, verb: 'renewLease' },
  { ...WRITE, verb: 'transferLease' },
  { ...WRITE, verb: 'releaseLease' },
];

/** How many calls of a listing may be slow, where the server still answers. */
const MOST_STEPS = 5;

/** What a call of the library came to. */
export function libraryOutcome(verb: LibraryVerb, answer: LibraryAnswer, timeoutMs: number): Outcome {
  // A listing is many calls, each of which may take its time.
  const common = { ms: answer.ms, allowedMs: timeoutMs * (verb === 'listLeases' ? MOST_STEPS : 1) };
  if (answer.kind === 'error') {
    const { code, message, inspected } = answer;
    return { ...common, answer: code, claim: undefined, hasFailed: true, said: message, output: inspected };
  }
  const { value, holder } = answer;
  return {
    ...common,
    answer: value,
    claim: claimOf(value, holder),
    hasFailed: false,
    said: '',
    output: value,
  };
}

function claimOf(value: string, holder: string | undefined): Claim {
  if (holder !== undefined) return { heldBy: holder };
  return value === 'undefined' ? { free: true } : { notHeldBy: HOLDER };
}
