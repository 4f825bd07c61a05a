import { describe, expect, it } from 'vitest';
import { formatDuration, formatInstant, formatRemaining } from '../../../src/output/durations.js';

describe('a duration for people', () => {
  it.each([
    [0, '0 ms'],
    [1, '1 ms'],
    [820, '820 ms'],
    [999.9, '999 ms'],
    [1_000, '1.0 s'],
    [12_499, '12.4 s'],
    [59_999, '59.9 s'],
    [60_000, '1 min'],
    [61_999, '1 min 1 s'],
    [250_000, '4 min 10 s'],
    [3_599_999, '59 min 59 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [86_399_999, '23 h 59 min'],
    [86_400_000, '24 h'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('is never longer than what is left', () => {
    for (let ms = 0; ms < 200_000; ms += 37) {
      const [, whole = '0', unit = '', rest = '0'] =
        /^([\d.]+) (ms|s|min|h)(?: (\d+) (?:s|min))?$/.exec(formatDuration(ms)) ?? [];
      const unitMs = { ms: 1, s: 1_000, min: 60_000 }[unit] ?? Number.NaN;
      expect(Number(whole) * unitMs + Number(rest) * 1_000).toBeLessThanOrEqual(ms);
    }
  });
});

it('what never ends has no expiry', () => {
  expect(formatRemaining(null)).toBe('no expiry');
  expect(formatRemaining(0)).toBe('0 ms');
});

it('an instant is UTC ISO 8601', () => {
  expect(formatInstant(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(formatInstant(9e15)).toBe('+275760-09-13T00:00:00.000Z');
});
