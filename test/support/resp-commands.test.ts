import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommandParser } from './resp-commands.js';
import { resp } from './resp-replies.js';

function encode(command: readonly string[]): string {
  return resp.array(...command.map(resp.bulk));
}

test('reads the same commands however the bytes are cut', () => {
  const strings = fc.string({ unit: 'grapheme', maxLength: 20 });
  const commands = fc.array(fc.array(strings, { minLength: 1, maxLength: 5 }), { maxLength: 5 });
  const cuts = fc.array(fc.nat(200));
  fc.assert(
    fc.property(commands, cuts, (sent, positions) => {
      const bytes = Buffer.from(sent.map(encode).join(''));
      const edges = [0, ...positions.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const parser = new CommandParser();
      const got = edges.flatMap((edge, index) => parser.push(bytes.subarray(edges[index - 1] ?? 0, edge)));
      expect(got).toEqual(sent);
    }),
  );
});

test('keeps NUL, CR LF and emoji inside a string', () => {
  const command = ['SET', 'user\0thread', 'a\r\n$3\r\nb', '🔒'];
  expect(new CommandParser().push(Buffer.from(encode(command)))).toEqual([command]);
});

test.each(['PING\r\n', '*1\r\n:5\r\n', '*x\r\n', '\x16\x03\x01'])(
  'refuses what is no command: %j',
  (text) => {
    expect(() => new CommandParser().push(Buffer.from(text))).toThrow(/^Expected [*$]/);
  },
);
