/** A duration for people: `820 ms`, `12.4 s`, `4 min 10 s`, `2 h 5 min`. Rounded down: time left is never overstated. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (ms < 3_600_000) return twoUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.floor(seconds / 60);
  return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

/** The time left of a lease for people; `null` never ends, and what could not be read is said to be unknown. */
export function formatRemaining(remainingMs: number | null | undefined): string {
  if (remainingMs === undefined) return 'time left unknown';
  return remainingMs === null ? 'no expiry' : formatDuration(remainingMs);
}

/** An instant as UTC ISO 8601. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

function twoUnits(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first} ${firstUnit}` : `${first} ${firstUnit} ${second} ${secondUnit}`;
}
