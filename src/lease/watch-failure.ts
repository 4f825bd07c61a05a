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

/** Why nothing is known any more, and what to do about it where that is known: a line each. */
export interface Staleness {
  readonly reason: string;
  readonly remedy?: string;
}

export function stalenessOf(error: unknown): Staleness {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const reason = firstLine(text)
    .replace(/^watch: /, '')
    .replace(/; nothing was changed$/, '');
  const remedy = error instanceof Error && 'remedy' in error ? error.remedy : undefined;
  return { reason, ...(typeof remedy === 'string' && { remedy: firstLine(remedy) }) };
}

function firstLine(text: string): string {
  return withoutUserInfo(text.split('\n', 1)[0] ?? '');
}
