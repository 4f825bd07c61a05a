/** A duration for people: `820 ms`, `12.4 s`, `4 min 10 s`, `2 h 5 min`. Rounded down: time left is never overstated. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (ms < 3_600_000) return twoUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.floor(seconds / 60);
  return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
}

function twoUnits(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first} ${firstUnit}` : `${first} ${firstUnit} ${second} ${secondUnit}`;
}
