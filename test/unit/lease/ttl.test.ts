import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidTtlError } from '../../../src/lease/errors.js';
import { assertTtlMs, DEFAULT_TTL_MS, MAX_TTL_MS, readDuration } from '../../../src/lease/ttl.js';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

describe('a duration', () => {
  it.each([
    ['15s', 15_000],
    ['500ms', 500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1.5h', 5_400_000],
    ['0.5s', 500],
    ['0.5ms', 0.5],
    ['1.001s', 1_001],
    ['4.35s', 4_350],
    ['007s', 7_000],
    ['24h', MAX_TTL_MS],
    ['0', 0],
    ['0.0', 0],
    ['0s', 0],
  ])('written %j is %d ms', (text, ms) => {
    expect(readDuration(text)).toEqual({ ms });
  });

  it('with up to three decimals of any unit is exactly what it says', () => {
    fc.assert(
      fc.property(fc.nat({ max: 86_400_000 }), fc.constantFrom('ms', 's', 'm', 'h'), (thousandths, unit) => {
        const text = `${Math.floor(thousandths / 1_000)}.${String(thousandths % 1_000).padStart(3, '0')}${unit}`;
        expect(readDuration(text)).toEqual({ ms: (thousandths * UNITS[unit]) / 1_000 });
      }),
    );
  });

  it.each(['30', '1', '15000', '1.5', '00030'])('written %j lacks its unit, and is not guessed', (text) => {
    expect(readDuration(text)).toEqual({ problem: 'no-unit', number: text });
  });

  it.each([
    '',
    ' ',
    '-5',
    '-5s',
    '+5s',
    '1e3',
    '1e3s',
    'NaN',
    'Infinity',
    '0x10',
    '15 s',
    ' 15s',
    '15s\n',
    '15S',
    '15sec',
    '15d',
    '.5s',
    '5.s',
    '1,5s',
    '1_000ms',
    '1m30s',
    's',
    '١٥s',
  ])('is not written %j', (text) => {
    expect(readDuration(text)).toEqual({ problem: 'not-a-duration' });
  });

  it('is never negative or not a number, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.msh-e') })),
        (text) => {
          const reading = readDuration(text);
          if ('ms' in reading) expect(reading.ms).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

describe('a TTL', () => {
  it.each([1, 2, DEFAULT_TTL_MS, MAX_TTL_MS - 1, MAX_TTL_MS])('may be %d ms', (ttlMs) => {
    expect(assertTtlMs(ttlMs)).toBe(ttlMs);
  });

  it.each([
    0,
    -0,
    -1,
    -15_000,
    0.5,
    1.5,
    MAX_TTL_MS + 1,
    Number.MAX_SAFE_INTEGER,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ])('may not be %d ms', (ttlMs) => {
    expect(() => assertTtlMs(ttlMs)).toThrow(InvalidTtlError);
    expect(() => assertTtlMs(ttlMs)).toThrow('Expected a TTL of 1 to 86400000 whole milliseconds');
  });

  it.each(['15000', '15s', undefined, null, 15_000n, {}, [15_000], new Number(15_000)])(
    'may not be something else than a number (%#), whatever the types said',
    (value) => {
      expect(() => Reflect.apply(assertTtlMs, undefined, [value])).toThrow(InvalidTtlError);
    },
  );

  it('is 15 seconds where nothing else is said, as the runtime’s', () => {
    expect(DEFAULT_TTL_MS).toBe(15_000);
  });
});
