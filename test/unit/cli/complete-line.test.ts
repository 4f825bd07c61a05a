import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readBashLine } from '../../../src/cli/completion/line.js';

describe('a line of bash', () => {
  it.each([
    ['mastra-lease owner dep', ['mastra-lease', 'owner'], 'dep'],
    ['mastra-lease owner ', ['mastra-lease', 'owner'], ''],
    [`mastra-lease owner 'a b' "c d`, ['mastra-lease', 'owner', 'a b'], 'c d'],
    ['mastra-lease  owner\ta\\ b', ['mastra-lease', 'owner'], 'a b'],
    [`mastra-lease owner user\\\\0 'user\\0`, ['mastra-lease', 'owner', 'user\\0'], 'user\\0'],
    ['mastra-lease owner "a\\"b\\n', ['mastra-lease', 'owner'], 'a"b\\n'],
    [
      `mastra-lease owner '' $(reboot) \`x\` $HOME`,
      ['mastra-lease', 'owner', '', '$(reboot)', '`x`'],
      '$HOME',
    ],
    ['mastra-lease owner a\\', ['mastra-lease', 'owner'], 'a'],
  ])('is read without being run: %s', (line, words, current) => {
    expect(readBashLine(line, '')).toMatchObject({ words, current });
  });
});

describe('what bash puts in place of what is typed', () => {
  const KEYS = [
    'deploy',
    'user-42\\0t-1',
    'a b$x',
    "it's",
    'we"ird`id`',
    '$(id)',
    '!!',
    '~',
    '#',
    'a;b&c|d<e>f',
    '{a,b}',
    '*?[x]',
    'thread:abc',
    'key=val',
    '漢字🧵',
    '-k',
  ];

  it.each(KEYS.flatMap((key) => ['', "'", '"'].map((quote) => [key, quote] as const)))(
    'makes the word %s, begun with [%s]',
    (key, quote) => {
      const text = readBashLine(`mastra-lease owner ${quote}`, '').reply(key);
      if (text === undefined) expect([key, quote]).toEqual(['!!', '"']);
      else expect(inBash(`${quote}${text}${quote}`)).toBe(key);
    },
  );

  it.each([
    ['user-42\\\\0', 'user-42\\\\0', 'user-42\\0t-1'],
    ['thread:a', 'a', 'thread:abc'],
    ['--until=fr', 'fr', '--until=free'],
    ["pre'fix a", 'fix a', 'prefix and more'],
    [`'it'\\''s`, 's', "it's late"],
    ['a\\ ', 'a\\ ', 'a b'],
  ])('keeps what it does not replace: of %s it replaces %s', (typed, replaced, key) => {
    const { reply, current } = readBashLine(`mastra-lease owner ${typed}`, replaced);
    expect(key.startsWith(current)).toBe(true);
    const kept = typed.slice(0, typed.length - replaced.length);
    expect(inBash(`${kept}${reply(key)}${kept.endsWith("'") ? "'" : ''}`)).toBe(key);
  });
});

/** What one word of a command line is, as bash itself reads it. */
function inBash(word: string): string {
  return execFileSync('bash', ['-c', `printf %s ${word}`], { encoding: 'utf8' });
}
