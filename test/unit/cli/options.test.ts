import { describe, expect, it } from 'vitest';
import {
  parseDuration,
  parseKeyArgument,
  parseOwnerOption,
  parseTimeout,
  parseTtl,
  threadTtlMs,
} from '../../../src/cli/options.js';

describe('a duration', () => {
  it.each([
    ['15s', 15_000],
    ['500ms', 500],
    ['2m', 120_000],
    ['1.5h', 5_400_000],
    ['1.001s', 1_001],
    ['0', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text, '--ttl')).toBe(ms);
  });

  it.each([
    '',
    ' ',
    's',
    '-5',
    '-5s',
    '+5s',
    '1e3',
    'NaN',
    'Infinity',
    '1,5s',
    '5 s',
    '15S',
    '15sec',
    '0x10',
    '١s',
    '.5s',
    '5.s',
  ])('"%s" is refused', (text) => {
    expect(() => parseDuration(text, '--ttl')).toThrow(
      'Expected --ttl as a duration such as 500ms, 15s, 2m or 1h, got "',
    );
  });

  it('without a unit is refused with the two things that it could mean', () => {
    expect(() => parseDuration('30', '--wait')).toThrow(
      'Expected --wait with a unit (15s, 500ms), got "30": is it 30s or 30ms?',
    );
  });

  it('is quoted back without its control characters', () => {
    expect(() => parseDuration('5\u001b[31m\n', '--ttl')).toThrow('got "5\\x1b[31m\\x0a"');
  });
});

describe('a TTL', () => {
  const env = { MASTRA_AGENT_THREAD_LEASE_TTL_MS: '20000' };

  it('is the flag, then the runtime’s variable, then the runtime’s default', () => {
    expect(parseTtl('5s', env)).toBe(5_000);
    expect(parseTtl(undefined, env)).toBe(20_000);
    expect(parseTtl(undefined, {})).toBe(15_000);
    expect(parseTtl(undefined, { MASTRA_AGENT_THREAD_LEASE_TTL_MS: '' })).toBe(15_000);
  });

  it.each(['1ms', '24h', '86400000ms'])('%s is at the edge of what is allowed', (text) => {
    expect(parseTtl(text, {})).toBe(text === '1ms' ? 1 : 86_400_000);
  });

  it.each(['0', '0s', '0.4ms', '1.5ms', '86400001ms', '24.01h', '99999999999999999999h'])(
    '%s is refused',
    (text) => {
      expect(() => parseTtl(text, {})).toThrow(
        `Expected --ttl from 1ms to 24h in whole milliseconds, got "${text}"`,
      );
    },
  );

  it.each(['15s', '0', '-1', '1e3', '1.5', 'x', '86400001', ' 5'])(
    '%s in the variable is refused by its name',
    (text) => {
      expect(() => threadTtlMs({ MASTRA_AGENT_THREAD_LEASE_TTL_MS: text })).toThrow(
        `Expected MASTRA_AGENT_THREAD_LEASE_TTL_MS as whole milliseconds from 1 to 86400000, got "${text}"`,
      );
    },
  );
});

it('a timeout is the flag or the default, and never 0', () => {
  expect(parseTimeout(undefined, 5_000)).toBe(5_000);
  expect(parseTimeout('250ms', 5_000)).toBe(250);
  expect(() => parseTimeout('0', 5_000)).toThrow('Expected --timeout of more than 0, got "0"');
  expect(() => parseTimeout('5', 5_000)).toThrow('is it 5s or 5ms?');
});

describe('a key or an owner in its written form', () => {
  it.each([
    ['deploy', 'deploy'],
    ['user-42\\0t-1', 'user-42\0t-1'],
    ['\\01', '\u00001'],
    ['\\x41\\u{1f512}\\\\', 'A🔒\\'],
    ['-k', '-k'],
    ['🧵', '🧵'],
  ])('%s is read', (written, text) => {
    expect(parseKeyArgument(written)).toBe(text);
    expect(parseOwnerOption(written, '--owner')).toBe(text);
  });

  it.each(['\\q', 'a\\', '\\x1', '\\u{}', '\\u{110000}', '\\u0041', '\\n'])('%s is refused', (written) => {
    expect(() => parseKeyArgument(written)).toThrow(
      'The key cannot be read: expected \\0, \\xHH, \\u{…} or \\\\',
    );
    expect(() => parseOwnerOption(written, '--from')).toThrow('--from cannot be read: ');
  });

  it.each(['\\u{d800}', '\\u{dfff}', '\ud800'])('half of a surrogate pair is refused: %j', (written) => {
    expect(() => parseKeyArgument(written)).toThrow('half of a surrogate pair');
    expect(() => parseOwnerOption(written, '--to')).toThrow('half of a surrogate pair');
  });

  it('is never empty', () => {
    expect(() => parseKeyArgument('')).toThrow('Expected a key, got an empty one');
    expect(() => parseOwnerOption('', '--to')).toThrow('Expected an owner after --to, got an empty one');
  });
});
