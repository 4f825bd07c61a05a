import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../../../src/backend/config/json.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('a JSON file', () => {
  it('is read, with a byte order mark too', () => {
    expect(readJson('\uFEFF{"a": [1, "\\u00e9"]}')).toEqual({ value: { a: [1, 'é'] } });
  });

  it.each([
    ['', 1, 1],
    ['{', 1, 2],
    ['{\n  "backend": "local",\n}', 3, 1],
    ['{\n  // none\n}', 2, 3],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ["{ 'a': 1 }", 1, 3],
    ['{ "a": "line\nbreak" }', 1, 8],
    ['{ "a": 1 } x', 1, 12],
    ['{ "a": [1, 2,] }', 1, 14],
    ['{ "a": +1 }', 1, 8],
    ['{ a: 1 }', 1, 3],
    ['{ "a" 1 }', 1, 7],
    ['{ "a": undefined }', 1, 8],
  ])('that is broken is known by the place: %j', (text, line, column) => {
    expect(readJson(text)).toEqual({ line, column });
  });

  it('is read or refused exactly as JSON.parse does, wherever it is damaged', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', '1', '\\', ' ', '\n', 'e', '-'),
        (text, at, put) => {
          const position = at % (text.length + 1);
          const damaged = `${text.slice(0, position)}${put}${text.slice(position + 1)}`;
          const reading = readJson(damaged);
          expect('value' in reading).toBe(isJson(damaged));
          if ('value' in reading) return;
          const line = damaged.split('\n')[reading.line - 1];
          expect(reading.column).toBeLessThanOrEqual((line ?? '').length + 1);
        },
      ),
    );
  });
});
