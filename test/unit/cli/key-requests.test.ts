import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readKeyRequest, readKeyRequests, readKeysOrRefusals } from '../../../src/cli/key-requests.js';

/** A command line whose stdin holds this. */
const ioWith = (stdin: string | Uint8Array) => ({ stdin: Readable.from([Buffer.from(stdin)]) });

const fromStdin = (stdin: string | Uint8Array) => readKeyRequests(['-'], {}, ioWith(stdin));

describe('a key', () => {
  it('is the positional one, unescaped, and nothing is looked for with --literal', () => {
    expect(readKeyRequest('a\\0b', {})).toEqual({ by: 'key', key: 'a\0b' });
    expect(readKeyRequest('thread:a', { literal: true })).toEqual({
      by: 'key',
      key: 'thread:a',
      literal: true,
    });
  });

  it('is a thread with or without its resource, which may be empty', () => {
    expect(readKeyRequest(undefined, { thread: 't' })).toEqual({ by: 'thread', thread: 't' });
    expect(readKeyRequest(undefined, { thread: 't\\x20', resource: '' })).toEqual({
      by: 'thread',
      thread: 't ',
      resource: '',
    });
    expect(readKeyRequest(undefined, { thread: '', resource: 'r' })).toEqual({
      by: 'thread',
      thread: '',
      resource: 'r',
    });
  });

  it('is named in one way', () => {
    expect(() => readKeyRequest('k', { thread: 't' })).toThrow('one way of naming the key');
    expect(() => readKeyRequest(undefined, {})).toThrow('got neither');
    expect(() => readKeyRequest(undefined, { resource: 'r' })).toThrow('Expected --thread with --resource');
    expect(() => readKeyRequest('k', { resource: 'r' })).toThrow('Expected --thread with --resource');
    expect(() => readKeyRequest(undefined, { thread: '' })).toThrow('got an empty one');
    expect(() => readKeyRequest(undefined, { thread: 't', literal: true })).toThrow('--literal with a key');
  });
});

describe('several keys', () => {
  it('are taken in order, all with the same options', async () => {
    expect(await readKeyRequests(['a', 'a', '\\0'], { literal: true }, ioWith(''))).toEqual([
      { by: 'key', key: 'a', literal: true },
      { by: 'key', key: 'a', literal: true },
      { by: 'key', key: '\0', literal: true },
    ]);
    await expect(readKeyRequests(['a', 'b'], { thread: 't' }, ioWith(''))).rejects.toThrow('one way');
    await expect(readKeyRequests(['a', ''], {}, ioWith(''))).rejects.toThrow(
      'Expected a key, got an empty one',
    );
  });

  it('come from stdin as list --json prints them, whatever else is in the lines', async () => {
    const lines = [
      '{"schema":"mastra-lease/lease@1","key":"user\\\\0t-1","owner":"x","remainingMs":5}',
      '',
      '{"key":"-k"}\r',
      '{"key":"\\u00e9\\ud83e\\uddf5"}',
      '{"schema":"mastra-lease/list-end@1","complete":true,"total":3}',
    ];
    expect(
      (await fromStdin(`${lines.join('\n')}\n`)).map((request) => 'key' in request && request.key),
    ).toEqual(['user\0t-1', '-k', 'é🧵']);
  });

  it.each([
    ['', 'got none'],
    ['\n\n', 'got none'],
    ['{"complete":true}', 'got none'],
    ['deploy\n', 'stdin line 1, as list --json prints, got "deploy"'],
    ['{"key":"a"}\n\n{"owner":"b"}', 'stdin line 3'],
    ['null', 'stdin line 1'],
    ['{"key":null}', 'stdin line 1'],
    ['{"key":"a","keyHex":"61"}', 'stdin line 1: the key is not UTF-8'],
    ['{"key":"\\\\q"}', 'The key cannot be read'],
    ['{"key":"\\ud800"}', 'half of a surrogate pair'],
    ['{"key":""}', 'Expected a key, got an empty one'],
    ['\u001b[2J', 'got "\\x1b[2J"'],
  ])('from stdin are refused: %j', async (stdin, message) => {
    await expect(fromStdin(stdin)).rejects.toThrow(message);
  });

  it('from stdin are refused when their bytes are not UTF-8', async () => {
    await expect(fromStdin(Buffer.from([0x7b, 0x22, 0xff]))).rejects.toThrow(
      'Expected keys on stdin as UTF-8',
    );
  });

  it('that cannot be named are refused one by one where each answers for itself, and all where none can be', async () => {
    const read = (...lines: Buffer[]) =>
      readKeysOrRefusals(
        ['-'],
        {},
        ioWith(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]))),
      );
    const [bad, good] = [Buffer.from([0x7b, 0x22, 0xff]), Buffer.from('{"key":"a"}')];
    expect(await read(bad, good, Buffer.from('{"key":"\\\\q"}'))).toMatchObject([
      {
        by: 'nothing',
        written: '-',
        error: { message: expect.stringContaining('UTF-8, got bytes that are not on line 1') },
      },
      { by: 'key', key: 'a' },
      {
        by: 'nothing',
        written: '\\q',
        error: { message: expect.stringContaining('stdin line 3: The key cannot be read') },
      },
    ]);
    await expect(read(bad, bad)).rejects.toThrow('not on line 1');
  });

  it('are either arguments or stdin', async () => {
    await expect(readKeyRequests(['-', 'a'], {}, ioWith('{"key":"b"}'))).rejects.toThrow('Expected - alone');
    await expect(readKeyRequests(['-'], { thread: 't' }, ioWith('{"key":"b"}'))).rejects.toThrow('one way');
  });
});
