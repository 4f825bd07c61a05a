import type { LeaseErrorCode } from '../lease/errors.js';
import type { KeyOutcome, OutcomeStatus } from '../operations/outcome.js';

/** The exit codes, what each means, and whether trying again helps. The one table: help, README and tests read it. */
export const EXIT_CODES = {
  0: { meaning: 'yes, done; also an empty, complete, verified list', retry: '' },
  1: { meaning: 'a bug in this tool', retry: 'no' },
  2: {
    meaning: 'usage, configuration, ambiguous key, no backend found, a value of another type at the key',
    retry: 'no',
  },
  3: { meaning: 'held by another owner', retry: 'later' },
  4: { meaning: 'no lease (free, expired, nothing to do)', retry: '' },
  5: { meaning: 'the lease was lost while holding it', retry: 'no' },
  6: { meaning: 'timed out waiting', retry: 'later' },
  7: {
    meaning:
      'the backend is unreachable or not ready, a listing is partial, or a read got no answer; nothing was changed',
    retry: 'yes',
  },
  8: { meaning: 'the outcome of a write is unknown: it was sent, and no answer came', retry: 'read first' },
  9: { meaning: 'this backend cannot answer that', retry: 'no' },
  10: { meaning: 'not permitted (authentication, ACL, read-only context)', retry: 'no' },
  11: { meaning: 'the backend breaks the contract', retry: 'no' },
  129: { meaning: 'interrupted by SIGHUP', retry: '' },
  130: { meaning: 'interrupted by SIGINT, or answered no when asked', retry: '' },
  143: { meaning: 'interrupted by SIGTERM', retry: '' },
} as const satisfies Record<number, { meaning: string; retry: string }>;

/** One code of {@link EXIT_CODES}. */
export type ExitCode = keyof typeof EXIT_CODES;

const BY_ERROR: Readonly<Record<LeaseErrorCode, ExitCode>> = {
  ERR_LEASE_INVALID_KEY: 2,
  ERR_LEASE_INVALID_OWNER: 2,
  ERR_LEASE_INVALID_TTL: 2,
  ERR_LEASE_INVALID_CONFIG: 2,
  ERR_LEASE_AMBIGUOUS_KEY: 2,
  ERR_LEASE_WRONG_TYPE: 2,
  ERR_LEASE_UNREACHABLE: 7,
  ERR_LEASE_INCOMPLETE: 7,
  ERR_LEASE_OUTCOME_UNKNOWN: 8,
  ERR_LEASE_UNSUPPORTED: 9,
  ERR_LEASE_UNVERIFIED: 9,
  ERR_LEASE_UNEXPECTED_REPLY: 9,
  ERR_LEASE_NOT_PERMITTED: 10,
  ERR_LEASE_CLOSED: 1,
  ERR_LEASE_CANCELLED: 130,
};

/** The exit code of a failed command. */
export function exitCodeOfError(code: LeaseErrorCode): ExitCode {
  return BY_ERROR[code];
}

const BY_STATUS: Readonly<Record<OutcomeStatus, ExitCode>> = {
  held: 0,
  free: 4,
  acquired: 0,
  refreshed: 0,
  released: 0,
  renewed: 0,
  transferred: 0,
  'held-by-other': 3,
  active: 3,
  'no-lease': 4,
  skipped: 0,
};

/** The exit code of an answer. A write whose effect was undone or could not be seen afterwards is not simply done. */
export function exitCodeOf({ status, later }: Pick<KeyOutcome, 'status' | 'later'>): ExitCode {
  if (later && 'error' in later) return 8;
  return later?.isBack ? 3 : BY_STATUS[status];
}

/** Which of several codes a command on several keys ends with: what is least known first, then what was refused. */
const WORST_FIRST: readonly ExitCode[] = [1, 8, 143, 130, 129, 10, 7, 9, 2, 11, 5, 6, 3, 4, 0];

export function worstExitCode(codes: Iterable<ExitCode>): ExitCode {
  const seen = new Set(codes);
  return WORST_FIRST.find((code) => seen.has(code)) ?? 0;
}
