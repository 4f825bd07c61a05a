import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { shortenMiddle } from '../../../src/output/shorten.js';

describe('an id', () => {
  it.each([
    ['run-7f3c2a10', 12, 'run-7f3c2a10'],
    ['run-7f3c2a10', 11, 'run-7…c2a10'],
    ['run-7f3c2a10', 8, 'run-…a10'],
    ['run-7f3c2a10', 1, '…'],
    ['漢字漢字', 5, '漢…字'],
    ['漢字漢字', 6, '漢…字'],
    ['👩‍👩‍👧‍👧👩‍👩‍👧‍👧👩‍👩‍👧‍👧', 5, '👩‍👩‍👧‍👧…👩‍👩‍👧‍👧'],
    ['', 3, ''],
  ])('%s in %d cells is %s', (text, width, expected) => {
    expect(shortenMiddle(text, width)).toBe(expected);
  });

  it('is never wider than it may be, and keeps both ends', () => {
    for (const text of ['x'.repeat(50), '漢字'.repeat(20), 'a🧵b'.repeat(20)]) {
      for (let width = 1; width < 60; width += 1)
        expect(stringWidth(shortenMiddle(text, width))).toBeLessThanOrEqual(Math.max(width, 1));
    }
  });
});
