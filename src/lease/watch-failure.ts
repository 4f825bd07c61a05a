import { isLeaseError, type LeaseErrorCode } from './errors.js';
import { withoutUserInfo } from './redact.js';

/** What waiting does not mend. */
const LASTING: readonly LeaseErrorCode[] = [
  'ERR_LEASE_INVALID_KEY',
  'ERR_LEASE_INVALID_CONFIG',
  'ERR_LEASE_NOT_PERMITTED',
  'ERR_LEASE_WRONG_TYPE',
  'ERR_LEASE_UNSUPPORTED',
];

/**
 * Whether a failure ends a watch. One that waiting does not mend does, as long as nothing was ever seen: a wrong
 * password is told at once. After that only the provider's own end does: passwords change, and come back.
 */
export function endsWatch(error: unknown, hasBeenLive: boolean): boolean {
  if (!isLeaseError(error)) return true;
  return error.code === 'ERR_LEASE_CLOSED' || (!hasBeenLive && LASTING.includes(error.code));
}

/** Why nothing is known any more, in one line. */
export function staleReason(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const line = withoutUserInfo(text.split('\n', 1)[0] ?? '');
  return line.replace(/^watch: /, '').replace(/; nothing was changed$/, '');
}
