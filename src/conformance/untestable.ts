import {
  isLeaseError,
  type LeaseError,
  type LeaseErrorCode,
  NotPermittedError,
  UnreachableError,
} from '../lease/errors.js';
import { withoutUserInfo } from '../lease/redact.js';
import { reasonOf } from './call.js';

/** Errors that say something of the backend or the way to it, and nothing of how the provider keeps the contract. */
const OF_THE_BACKEND: readonly LeaseErrorCode[] = [
  'ERR_LEASE_UNREACHABLE',
  'ERR_LEASE_OUTCOME_UNKNOWN',
  'ERR_LEASE_NOT_PERMITTED',
  'ERR_LEASE_UNVERIFIED',
  'ERR_LEASE_INVALID_CONFIG',
];

/** Whether a call failed because of the backend, as the provider itself says. */
export function isOfTheBackend(error: unknown): error is LeaseError {
  return isLeaseError(error) && OF_THE_BACKEND.includes(error.code);
}

/** Why a backend could not be tested, after a call of `method` threw. */
export function untestable(method: string, error: unknown, reason: string = reasonOf(error)): LeaseError {
  if (isLeaseError(error)) return error;
  const message = `The backend could not be tested: ${method} failed: ${withoutUserInfo(reason)}`;
  return /^(?:NOAUTH|WRONGPASS|NOPERM)\b/.test(reason)
    ? new NotPermittedError(message)
    : new UnreachableError(message, { remedy: 'is the backend reachable from here?' });
}
