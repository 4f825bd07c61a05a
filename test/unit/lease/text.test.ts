import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText, unescapeText } from '../../../src/lease/text.js';

/** Any sequence of UTF-16 code units: control characters, bidi marks, emoji and halves of surrogate pairs. */
const anyString = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({
    unit: fc.constantFrom(
      '\0',
      '\\',
      '0',
      'x',
      'u',
      '{',
      '}',
      '7',
      'f',
      '\u202e',
      '\u200d',
      '\ud83d',
      '\ude00',
      '\n',
    ),
  }),
);

describe('the written form of a text', () => {
  it('gives back every text that UTF-8 can store', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        fc.pre(text.isWellFormed());
        expect(unescapeText(escapeText(text))).toEqual({ text });
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused when read back, never changed, where UTF-8 cannot store the text', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        fc.pre(!text.isWellFormed());
        expect(unescapeText(escapeText(text))).toHaveProperty('problem');
      }),
      { numRuns: 2_000 },
    );
  });

  it('differs for different texts', () => {
    fc.assert(
      fc.property(anyString, anyString, (one, other) => {
        expect(escapeText(one) === escapeText(other)).toBe(one === other);
      }),
    );
  });

  it('has no character that moves a cursor, turns the direction or cannot be seen', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        expect(escapeText(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
        expect(escapeText(text).replaceAll(' ', '')).not.toMatch(/\p{Z}/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads as the same text when it is written a second time', () => {
    fc.assert(
      fc.property(anyString, (text) => {
        expect(unescapeText(escapeText(escapeText(text)))).toEqual({ text: escapeText(text) });
      }),
    );
  });

  it.each([
    ['user-42\0t-1', 'user-42\\0t-1'],
    ['\0' + '7', '\\07'],
    ['a\\b', 'a\\\\b'],
    ['\\0', '\\\\0'],
    ['\x1b[2J', '\\x1b[2J'],
    ['line\nbreak\ttab\r', 'line\\x0abreak\\x09tab\\x0d'],
    ['\u0085', '\\x85'],
    ['pay\u202eload', 'pay\\u{202e}load'],
    ['\u2028\u2029', '\\u{2028}\\u{2029}'],
    ['a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
    ['hidden\u3164filler\ufe0f', 'hidden\\u{3164}filler\\u{fe0f}'],
    ['looks like a space\u00a0\u3000', 'looks like a space\\xa0\\u{3000}'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud83d', '\\u{d83d}'],
    ['naïve 日本語 😀', 'naïve 日本語 😀'],
    [`"quotes" 'and' $dollars`, `"quotes" 'and' $dollars`],
    ['', ''],
  ])('of %j is %j', (text, written) => {
    expect(escapeText(text)).toBe(written);
  });
});

describe('reading a text', () => {
  it('takes \\0 for a NUL, whatever digit follows', () => {
    fc.assert(
      fc.property(fc.nat({ max: 999 }), (number) => {
        expect(unescapeText(`a\\0${number}`)).toEqual({ text: `a\0${number}` });
      }),
    );
  });

  it.each([
    ['\\x41', 'A'],
    ['\\xe9', 'é'],
    ['\\xE9', 'é'],
    ['\\u{41}', 'A'],
    ['\\u{1f600}', '😀'],
    ['\\u{10FFFF}', '\u{10ffff}'],
    ['\\u{0}', '\0'],
    ['\\\\0', '\\0'],
    ['\\\\\\0', '\\\0'],
    ['no backslash', 'no backslash'],
  ])('takes %j for %j', (written, text) => {
    expect(unescapeText(written)).toEqual({ text });
  });

  it.each([
    ['\\n', 'got "\\\\n"'],
    ['\\', 'got "\\\\"'],
    ['ends with \\', 'got "\\\\"'],
    ['\\x4', 'got "\\\\x"'],
    ['\\xgg', 'got "\\\\x"'],
    ['\\u0041', 'got "\\\\u"'],
    ['\\u{}', 'got "\\\\u"'],
    ['\\u{110000}', 'got "\\\\u{110000}"'],
    ['\\u{0000041}', 'got "\\\\u"'],
    ['\\\u001b', 'got "\\\\\\x1b"'],
    ['\\😀', 'got "\\\\😀"'],
    ['\\N and \\q', 'got "\\\\N"'],
  ])('refuses %j, naming what it met', (written, met) => {
    const reading = unescapeText(written);
    expect(reading).toHaveProperty('problem');
    expect('problem' in reading && reading.problem).toContain('expected \\0, \\xHH, \\u{…} or \\\\');
    expect('problem' in reading && reading.problem).toContain(met.replaceAll('\\\\', '\\'));
  });

  it.each(['\\u{d83d}', '\\u{de00}', 'a\ud83d', '\\u{dc00}\\u{d800}', '\\u{d83d}\\u{de00}'])(
    'refuses half of a surrogate pair in %j',
    (written) => {
      expect(unescapeText(written)).toEqual({
        problem: 'it has half of a surrogate pair, which UTF-8 cannot store',
      });
    },
  );

  it('never throws, and answers either a storable text or one printable line', () => {
    fc.assert(
      fc.property(anyString, (written) => {
        const reading = unescapeText(written);
        if ('text' in reading) expect(reading.text.isWellFormed()).toBe(true);
        else expect(reading.problem).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 2_000 },
    );
  });
});
