import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { escapeText } from '../../src/lease/text.js';
import { coarseDuration, elapsedText } from '../../src/tui/coarse-duration.js';
import { cutText, cutTextStart, padText, padTextStart, widthOf, wrapText } from '../../src/tui/fit-text.js';
import { bar, sparkline } from '../../src/tui/meters.js';
import { sortByValue } from '../../src/tui/sort-by-value.js';
import { edited, positionOf } from '../../src/tui/sorted-list.js';
import { columnsFor, MARGIN } from '../../src/tui/table-columns.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '会議室の予約',
    '\u{1f1e9}\u{1f1ea}',
    'a\u0301'.repeat(30),
    '→∞█·',
    '\u{1f468}\u200d\u{1f469}',
  ),
);
const width = fc.integer({ min: 0, max: 40 });

describe('text in cells', () => {
  test('is as wide as string-width says', () => {
    fc.assert(
      fc.property(anyText.map(escapeText), (text) => {
        expect(widthOf(text)).toBe(stringWidth(text));
      }),
    );
  });

  test('never takes more than its width, and padded exactly that', () => {
    fc.assert(
      fc.property(anyText.map(escapeText), width, (text, cells) => {
        expect(widthOf(cutText(text, cells))).toBeLessThanOrEqual(cells);
        if (cells === 0) return;
        expect(widthOf(padText(text, cells))).toBe(cells);
        expect(widthOf(padTextStart(text, cells))).toBe(cells);
        expect(widthOf(cutTextStart(text, cells))).toBeLessThanOrEqual(cells);
        for (const line of wrapText(text, cells + 2)) expect(widthOf(line)).toBeLessThanOrEqual(cells + 2);
      }),
    );
  });

  test.each([
    ['abcdef', 4, 'abc…'],
    ['abcd', 4, 'abcd'],
    ['会議室', 4, '会…'],
    ['会議', 4, '会議'],
  ])('%s in %d cells is %s', (text, cells, cut) => expect(cutText(text, cells)).toBe(cut));

  test('a tower of marks takes one cell and no more than its line', () => {
    expect(cutText(`a${'\u0301'.repeat(500)}b`, 5)).toBe('\ufffdb');
  });

  test('a text of a megabyte is cut without being gone through', () => {
    expect(cutText('é'.repeat(1_000_000), 3)).toBe('éé…');
  });
});

describe('meters', () => {
  test('a bar is full, empty, or in between, and never empty while something is left', () => {
    expect(bar(15_000, 15_000, 4)).toBe('████');
    expect(bar(7_500, 15_000, 4)).toBe('██··');
    expect(bar(1, 15_000, 4)).toBe('█···');
    expect(bar(0, 15_000, 4)).toBe('····');
    expect(bar(20_000, 15_000, 4)).toBe('████');
    expect(bar(5, 0, 4)).toBe('█···');
  });

  test('intervals are levels of the TTL: what comes near the end sticks out', () => {
    expect(sparkline([5_000, 5_000, 14_500, 20_000], 15_000, 8)).toBe('▃▃██');
    expect(sparkline([5_000, 5_000, 14_500], 15_000, 2)).toBe('▃█');
    expect(sparkline([], 15_000, 8)).toBe('·');
  });
});

test.each([
  [820, '820 ms', '0 s'],
  [12_400, '12.4 s', '12 s'],
  [250_000, '4 min', '4 min'],
  [7_500_000, '2 h', '2 h'],
  [260_000_000, '3 d', '3 d'],
])('%d ms is %s left, or going on for %s', (ms, left, elapsed) => {
  expect(coarseDuration(ms)).toBe(left);
  expect(elapsedText(ms)).toBe(elapsed);
});

test('columns fill the terminal and no more, whatever its width', () => {
  for (let cells = 40; cells <= 300; cells += 1) {
    const columns = columnsFor(cells);
    const used = MARGIN + columns.reduce((sum, { width }) => sum + width + 2, -2);
    expect(used).toBeLessThanOrEqual(cells);
    expect(columns.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['thread', 'owner', 'left', 'health']),
    );
    for (const { width } of columns) expect(width).toBeGreaterThanOrEqual(5);
  }
});

describe('sorted lists', () => {
  const byNumber = (a: number, b: number) => a - b;

  test('an edit comes to what sorting anew would', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(200)),
        fc.uniqueArray(fc.nat(200)),
        fc.nat(),
        (before, more, seed) => {
          const list = before.toSorted(byNumber);
          const removed = list.filter((item) => (item + seed) % 3 === 0);
          const kept = list.filter((item) => !removed.includes(item));
          const added = more.filter((item) => !kept.includes(item));
          expect(edited(list, { removed, added }, byNumber)).toEqual([...kept, ...added].sort(byNumber));
        },
      ),
    );
  });

  test('a place is before the first that is not less', () => {
    expect([0, 1, 2, 9].map((item) => positionOf([1, 3, 5], item, byNumber))).toEqual([0, 0, 1, 3]);
  });

  test('sorting by a value is sorting by comparing, equal ones in their order', () => {
    const items = fc.array(
      fc.record({
        text: fc.oneof(anyText, fc.string()),
        number: fc.oneof(fc.integer(), fc.double({ noNaN: true, min: -1e12, max: 1e12 })),
      }),
    );
    fc.assert(
      fc.property(items, (list) => {
        const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
        const place = new Map(list.map((item, index) => [item, index]));
        const inOrder = (a: object, b: object) => (place.get(a as never) ?? 0) - (place.get(b as never) ?? 0);
        const byText = (a: { text: string }, b: { text: string }) =>
          compareText(a.text, b.text) || inOrder(a, b);
        const byValue = (a: { number: number }, b: { number: number }) =>
          a.number - b.number || inOrder(a, b);
        expect(
          sortByValue(
            list,
            list.map(({ text }) => text),
            byText,
          ),
        ).toEqual(list.toSorted(byText));
        expect(
          sortByValue(
            list,
            list.map(({ number }) => number),
            byValue,
          ),
        ).toEqual(list.toSorted(byValue));
      }),
    );
  });
});
