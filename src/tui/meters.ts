/** A bar of `width` cells, filled in proportion; anything above nothing is at least one cell. */
export function bar(part: number, whole: number, width: number): string {
  const share = whole > 0 ? Math.min(1, Math.max(0, part / whole)) : 0;
  const filled = part > 0 ? Math.max(1, Math.round(share * width)) : 0;
  return '█'.repeat(filled) + '·'.repeat(width - filled);
}

const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/**
 * The times between renewals as levels of the TTL: the runtime renews every third of it, so a level that sticks out is a
 * renewal that came near the end.
 */
export function sparkline(intervalsMs: readonly number[], ttlMs: number, width: number): string {
  const levels = intervalsMs.slice(-width).map((intervalMs) => {
    const level = Math.ceil((ttlMs > 0 ? intervalMs / ttlMs : 0) * LEVELS.length) - 1;
    return LEVELS[Math.max(0, Math.min(level, LEVELS.length - 1))];
  });
  return levels.length === 0 ? '·' : levels.join('');
}
