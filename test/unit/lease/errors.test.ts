import { describe, expect, it } from 'vitest';
import * as errors from '../../../src/lease/errors.js';

/** Scripts and other programs depend on these: a code is never changed, and never removed. */
const CODES = {
  InvalidKeyError: 'ERR_LEASE_INVALID_KEY',
  InvalidOwnerError: 'ERR_LEASE_INVALID_OWNER',
  InvalidTtlError: 'ERR_LEASE_INVALID_TTL',
  InvalidConfigError: 'ERR_LEASE_INVALID_CONFIG',
  AmbiguousKeyError: 'ERR_LEASE_AMBIGUOUS_KEY',
  UnreachableError: 'ERR_LEASE_UNREACHABLE',
  OutcomeUnknownError: 'ERR_LEASE_OUTCOME_UNKNOWN',
  NotPermittedError: 'ERR_LEASE_NOT_PERMITTED',
  WrongTypeError: 'ERR_LEASE_WRONG_TYPE',
  UnsupportedError: 'ERR_LEASE_UNSUPPORTED',
  UnverifiedError: 'ERR_LEASE_UNVERIFIED',
  IncompleteListingError: 'ERR_LEASE_INCOMPLETE',
  UnexpectedReplyError: 'ERR_LEASE_UNEXPECTED_REPLY',
  ClosedError: 'ERR_LEASE_CLOSED',
  CancelledError: 'ERR_LEASE_CANCELLED',
} as const satisfies Record<
  Exclude<keyof typeof errors, 'LeaseError' | 'isLeaseError' | 'LEASE_ERROR_CODES'>,
  errors.LeaseErrorCode
>;

/** Fails to compile when a code has no error. */
const everyCodeIsPinned: Exclude<errors.LeaseErrorCode, (typeof CODES)[keyof typeof CODES]> extends never
  ? true
  : false = true;

const { LeaseError, isLeaseError, LEASE_ERROR_CODES, AmbiguousKeyError, ...others } = errors;
const candidates = [{ key: 'user-1\0t', owner: 'run-1', remainingMs: 1 }];
const everyError = [
  new AmbiguousKeyError('what happened', candidates),
  ...Object.values(others).map((Other) => new Other('what happened', { remedy: 'what to do' })),
];

describe('the errors of the library', () => {
  it('have these codes, each its own', () => {
    const codes = everyError.map((error) => [error.name, error.code]);
    expect(Object.fromEntries(codes)).toEqual(CODES);
    expect(new Set(everyError.map((error) => error.code)).size).toBe(Object.keys(CODES).length);
    expect(everyCodeIsPinned).toBe(true);
    expect([...LEASE_ERROR_CODES].sort()).toEqual(Object.values(CODES).sort());
  });

  it('are known by their code, whichever copy of the library threw them', () => {
    for (const error of everyError) expect(isLeaseError(error)).toBe(true);
    expect(isLeaseError(Object.assign(new Error('elsewhere'), { code: 'ERR_LEASE_CLOSED' }))).toBe(true);
    expect(isLeaseError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe(false);
    expect(isLeaseError({ code: 'ERR_LEASE_CLOSED' })).toBe(false);
  });

  it.each(everyError)('$name is an Error that can be told apart by its name and says what to do', (error) => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(LeaseError);
    expect(error.message).toBe('what happened');
    expect(String(error)).toBe(`${error.name}: what happened`);
    expect(error.remedy).toBeTruthy();
  });

  it('carry the leases that may have been meant where a key is ambiguous', () => {
    expect(new AmbiguousKeyError('two', candidates).candidates).toEqual(candidates);
  });

  it('have no remedy where the message says it all', () => {
    expect(new errors.ClosedError('closed').remedy).toBeUndefined();
  });
});
