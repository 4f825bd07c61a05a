import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printable } from '../../../src/output/printable.js';

it('leaves ordinary text as it is', () => {
  for (const text of ['', 'deploy', 'user-42 · t-1', '漢字 🧵 é', 'C:\\new', "it's"])
    expect(printable(text)).toBe(text);
});

it.each([
  ['\u001b[31m', '\\x1b[31m'],
  ['a\nb\r\tc', 'a\\x0ab\\x0d\\x09c'],
  ['\0', '\\x00'],
  ['\u009b', '\\x9b'],
  ['\u202e\u2066', '\\u{202e}\\u{2066}'],
  ['\u2028\u2029', '\\u{2028}\\u{2029}'],
  ['\ud800', '\\u{d800}'],
])('%j is %s', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('never lets a control character, a line break or a change of direction through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
  );
});
