import { formatDuration } from '../lease/duration-words.js';

export { formatDuration };

/** The time left of a lease for people; `null` never ends, and what could not be read is said to be unknown. */
export function formatRemaining(remainingMs: number | null | undefined): string {
  if (remainingMs === undefined) return 'time left unknown';
  return remainingMs === null ? 'no expiry' : formatDuration(remainingMs);
}

/** An instant as UTC ISO 8601. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}
