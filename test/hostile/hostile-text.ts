import fc from 'fast-check';
import { expect } from 'vitest';

/** What has done harm elsewhere: sequences for terminals, marks that turn the direction, ends of lines, what SQL and globs take for their own. */
export const HARMFUL = [
  '\x1b[2J\x1b[H',
  '\x1b]52;c;cm0gLXJmIC8=\x07',
  '\x1b]0;title\x1b\\',
  '\x9b31m',
  '\x1bP+q544e\x1b\\',
  '\u202egnp.exe',
  '\u2066\u2069\u200f',
  'a\nerror everything is lost\n',
  '\r\x1b[Kfree: nobody holds it',
  '\0\0',
  '\u2028\u2029\u0085',
  '\ufeff\u200b\u00ad\u{e0061}',
  "'; DROP TABLE leases; --",
  '*?[^a]{b,c}\\',
  '--force',
  '../../etc/passwd',
  '__proto__',
  '$(id) `id` $HOME',
  '%00%0a%s%n',
  '{"key":1}',
  '🧵👩‍👩‍👧‍👦é',
  '\ud83d',
  '\u{1f1e9}',
] as const;

/** Any text, with a liking for what does harm. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HARMFUL) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...HARMFUL), { maxLength: 4 }).map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    }),
  },
);

/** The same, as far as UTF-8 can store it and a process can be given it. */
export const storableText: fc.Arbitrary<string> = hostileText.filter(
  (text) => text !== '' && text.isWellFormed(),
);

/** What a terminal acts on, or does not draw: everything but the ends of lines and the tab between columns. */
const MOVES = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]/v;

/** Nothing that was printed can move a cursor, turn the direction or hide. */
export function expectSafe(text: string): void {
  const found = MOVES.exec(text);
  expect(found && { codePoint: found[0].codePointAt(0)?.toString(16), in: text.slice(0, 400) }).toBeNull();
}
