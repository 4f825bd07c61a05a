import { formatDuration } from '../lease/duration-words.js';

export { formatDuration };

/** The time left of a lease for people; `null` never ends, and what could not be read is said to be unknown. */
export function formatRemaining(remainingMs: number | null | undefined): string {
  if (remainingMs === undefined) return 'time left unknown';
  return remainingMs === null ? 'no expiry' : formatDuration(remainingMs);
}

/** The furthest instant that there is a date for, in milliseconds since the epoch, either way. */
const MAX_INSTANT_MS = 8.64e15;

/** An instant as UTC ISO 8601; one that is further away than any date is the last date there is. */
export function formatInstant(ms: number): string {
  return new Date(Math.max(-MAX_INSTANT_MS, Math.min(MAX_INSTANT_MS, ms))).toISOString();
}
