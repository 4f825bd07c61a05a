import { formatDuration } from '../output/durations.js';

/** A duration in one unit, for a column: `820 ms`, `12.4 s`, `4 min`, `2 h`, `3 d`. */
export function coarseDuration(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  return days > 0 ? `${days} d` : formatDuration(ms).split(' ').slice(0, 2).join(' ');
}

/** How long something has gone on, to the second: `14 s`, `4 min`, `2 h`. */
export function elapsedText(ms: number): string {
  const wholeMs = Math.max(0, Math.floor(ms / 1_000) * 1_000);
  return coarseDuration(wholeMs)
    .replace('.0 s', ' s')
    .replace(/^0 ms$/, '0 s');
}
