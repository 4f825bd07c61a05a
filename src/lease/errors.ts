import type { Lease } from './inspector.js';

/**
 * Everything that can go wrong with a lease, by what the caller may conclude from it. The codes are stable.
 *
 * - `ERR_LEASE_INVALID_KEY`, `_OWNER`, `_TTL`, `_CONFIG`: refused before anything was sent.
 * - `ERR_LEASE_AMBIGUOUS_KEY`: several held leases may have been meant; nothing was changed.
 * - `ERR_LEASE_UNREACHABLE`: nothing was changed; the backend was not reached, was not ready or did not answer a read.
 * - `ERR_LEASE_OUTCOME_UNKNOWN`: a write was sent and no answer came; it may have happened, or still happen.
 * - `ERR_LEASE_NOT_PERMITTED`: the backend refused the credentials or the command.
 * - `ERR_LEASE_WRONG_TYPE`: the key holds something that is not a lease.
 * - `ERR_LEASE_UNSUPPORTED`: this backend cannot answer that.
 * - `ERR_LEASE_UNVERIFIED`: the answer would be "free", from a server whose role could not be verified.
 * - `ERR_LEASE_INCOMPLETE`: part of a listing was seen, not all of it.
 * - `ERR_LEASE_UNEXPECTED_REPLY`: the backend answered something that the contract does not allow.
 * - `ERR_LEASE_CLOSED`: the provider was closed before the call.
 * - `ERR_LEASE_CANCELLED`: the user said no; nothing was sent.
 */
export const LEASE_ERROR_CODES = [
  'ERR_LEASE_INVALID_KEY',
  'ERR_LEASE_INVALID_OWNER',
  'ERR_LEASE_INVALID_TTL',
  'ERR_LEASE_INVALID_CONFIG',
  'ERR_LEASE_AMBIGUOUS_KEY',
  'ERR_LEASE_UNREACHABLE',
  'ERR_LEASE_OUTCOME_UNKNOWN',
  'ERR_LEASE_NOT_PERMITTED',
  'ERR_LEASE_WRONG_TYPE',
  'ERR_LEASE_UNSUPPORTED',
  'ERR_LEASE_UNVERIFIED',
  'ERR_LEASE_INCOMPLETE',
  'ERR_LEASE_UNEXPECTED_REPLY',
  'ERR_LEASE_CLOSED',
  'ERR_LEASE_CANCELLED',
] as const;

/** One code of {@link LEASE_ERROR_CODES}. */
export type LeaseErrorCode = (typeof LEASE_ERROR_CODES)[number];

/**
 * The base of every error of this library. `code` is stable, `message` is one line for a person and holds no secret.
 *
 * @example
 * ```ts
 * import { LeaseError } from 'mastra-lease';
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 *
 * const provider = new RedisLeaseProvider({ url: 'redis://127.0.0.1:1' });
 * try {
 *   await provider.acquireLease('deploy', 'job-1', 15_000);
 * } catch (error) {
 *   if (!(error instanceof LeaseError)) throw error;
 *   error.code; // => 'ERR_LEASE_UNREACHABLE'
 * }
 * ```
 */
export abstract class LeaseError extends Error {
  abstract readonly code: LeaseErrorCode;
  /** What to try next, as one line; absent when the message says it. */
  readonly remedy: string | undefined;

  constructor(message: string, options: { readonly remedy?: string | undefined } = {}) {
    super(message);
    this.name = new.target.name;
    this.remedy = options.remedy;
  }
}

/** Whether `value` is an error of this library, whichever copy of it threw it. */
export function isLeaseError(value: unknown): value is LeaseError {
  return value instanceof Error && 'code' in value && LEASE_ERROR_CODES.some((code) => code === value.code);
}

/** The key is empty, or cannot be stored without merging it with another (a lone surrogate). */
export class InvalidKeyError extends LeaseError {
  readonly code = 'ERR_LEASE_INVALID_KEY';
}

/** The owner is empty or has a lone surrogate. */
export class InvalidOwnerError extends LeaseError {
  readonly code = 'ERR_LEASE_INVALID_OWNER';
}

/** The TTL is not a whole number of milliseconds from 1 to 24 hours. */
export class InvalidTtlError extends LeaseError {
  readonly code = 'ERR_LEASE_INVALID_TTL';
}

/** A backend's settings cannot be used, or name something that is not there. */
export class InvalidConfigError extends LeaseError {
  readonly code = 'ERR_LEASE_INVALID_CONFIG';
}

/** Several held leases may have been meant. Nothing was changed. */
export class AmbiguousKeyError extends LeaseError {
  readonly code = 'ERR_LEASE_AMBIGUOUS_KEY';
  /** The leases that may have been meant. */
  readonly candidates: readonly Lease[];

  constructor(message: string, candidates: readonly Lease[]) {
    super(message, { remedy: 'name the one that is meant by --resource and --thread' });
    this.candidates = candidates;
  }
}

/** The backend was not reached, was not ready, or did not answer a read. Nothing was changed; trying again may help. */
export class UnreachableError extends LeaseError {
  readonly code = 'ERR_LEASE_UNREACHABLE';
}

/** A write was sent and no answer came: it may have happened, and may still happen. Read before trying again. */
export class OutcomeUnknownError extends LeaseError {
  readonly code = 'ERR_LEASE_OUTCOME_UNKNOWN';
}

/** Authentication failed, or the user may not run the command. Nothing was changed. */
export class NotPermittedError extends LeaseError {
  readonly code = 'ERR_LEASE_NOT_PERMITTED';
}

/** The key holds a value that is not a lease. Nothing was changed. */
export class WrongTypeError extends LeaseError {
  readonly code = 'ERR_LEASE_WRONG_TYPE';
}

/** This backend cannot answer the question. Nothing was changed. */
export class UnsupportedError extends LeaseError {
  readonly code = 'ERR_LEASE_UNSUPPORTED';
}

/** The lease was not seen, on a server that may not be the primary: not the same as free. */
export class UnverifiedError extends LeaseError {
  readonly code = 'ERR_LEASE_UNVERIFIED';
}

/** A listing saw some of the leases and could not see the others. */
export class IncompleteListingError extends LeaseError {
  readonly code = 'ERR_LEASE_INCOMPLETE';
}

/** The backend answered something that the contract does not allow. */
export class UnexpectedReplyError extends LeaseError {
  readonly code = 'ERR_LEASE_UNEXPECTED_REPLY';
}

/** The provider was closed before the call. Nothing was sent. */
export class ClosedError extends LeaseError {
  readonly code = 'ERR_LEASE_CLOSED';
}

/** The user was asked and said no. Nothing was sent. */
export class CancelledError extends LeaseError {
  readonly code = 'ERR_LEASE_CANCELLED';
}
