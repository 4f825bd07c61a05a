import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir } from '../support/temp-dir.js';
import { expectRefusal } from './expect-refusal.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

type Row = readonly [args: readonly string[], message: string | RegExp];

const OWNER = ['--owner', 'run-1'];
const TTL = (ttl: string): readonly string[] => ['acquire', 'deploy', ...OWNER, '--ttl', ttl];

const KEYS_AND_OWNERS: readonly Row[] = [
  [['acquire', '', ...OWNER], 'Expected a key, got an empty one'],
  [['acquire', ...OWNER], 'Expected a key, or --thread with --resource, got neither'],
  [['owner'], 'Expected a key, or --thread with --resource, got neither'],
  [['acquire', 'deploy', '--owner', ''], 'Expected an owner after --owner, got an empty one'],
  [['transfer', 'deploy', '--from', '', '--to', 'b'], 'Expected an owner after --from, got an empty one'],
  [['transfer', 'deploy', '--from', 'a', '--to', ''], 'Expected an owner after --to, got an empty one'],
  [['transfer', 'deploy', '--from', 'a'], 'Expected --to with the owner who gets the lease, got none'],
  [['transfer', 'deploy', '--to', 'b'], 'Expected --from with the owner, or --force'],
  [['release', 'deploy'], 'Expected --owner with the owner, or --force'],
  [['renew', 'deploy'], 'Expected --owner with the owner, or --force'],
  [['release', 'deploy', ...OWNER, '--force'], 'Expected --owner or --force, got both'],
  [['renew', 'deploy', ...OWNER, '--force', '--yes'], 'Expected --owner or --force, got both'],
  [['transfer', 'deploy', '--from', 'a', '--force', '--to', 'b'], 'Expected --from or --force, got both'],
  [['release', 'deploy', '--force'], 'Expected --yes with --force: there is no terminal to ask on'],
  [['acquire', 'deploy', '--thread', 't-1', ...OWNER], 'Expected one way of naming the key, got both'],
  [['owner', 'a', 'b', '--resource', 'r', '--thread', 't'], 'Expected one way of naming the key, got both'],
  [['owner', '-', '--thread', 't'], 'Expected one way of naming the key, got both'],
  [['owner', '-', 'deploy'], 'Expected - alone'],
  [['acquire', '--resource', 'user-42', ...OWNER], 'Expected --thread with --resource'],
  [['owner', '--thread', ''], 'Expected a thread id after --thread, got an empty one'],
  [['owner', '--thread', 't', '--literal'], 'Expected --literal with a key, got --thread'],
  [['acquire', 'a\\q', ...OWNER], /The key cannot be read: .* got "\\q"/],
  [['acquire', 'a\\', ...OWNER], /The key cannot be read: .* got "\\"/],
  [['acquire', '\\u{d800}', ...OWNER], 'The key cannot be read: it has half of a surrogate pair'],
  [['acquire', 'a', '--owner', '\\u{dfff}'], '--owner cannot be read: it has half of a surrogate pair'],
  [['owner', '--thread', '\\x9'], '--thread cannot be read: expected'],
];

const DURATIONS: readonly Row[] = [
  [TTL('0'), 'Expected --ttl from 1ms to 24h in whole milliseconds, got "0"'],
  [TTL('-5'), 'Expected --ttl as a duration such as 500ms, 15s, 2m or 1h, got "-5"'],
  [TTL('30'), 'Expected --ttl with a unit (15s, 500ms), got "30": is it 30s or 30ms?'],
  [TTL('1e3'), 'Expected --ttl as a duration such as 500ms, 15s, 2m or 1h, got "1e3"'],
  [TTL('NaN'), 'Expected --ttl as a duration such as 500ms, 15s, 2m or 1h, got "NaN"'],
  [TTL(''), 'Expected --ttl as a duration such as 500ms, 15s, 2m or 1h, got ""'],
  [TTL('0.5ms'), 'Expected --ttl from 1ms to 24h in whole milliseconds, got "0.5ms"'],
  [TTL('25h'), 'Expected --ttl from 1ms to 24h in whole milliseconds, got "25h"'],
  [['renew', 'deploy', ...OWNER, '--ttl', '30'], 'is it 30s or 30ms?'],
  [['transfer', 'deploy', '--from', 'a', '--to', 'b', '--ttl', '0'], 'Expected --ttl from 1ms'],
  [['owner', 'deploy', '--timeout', '5'], 'Expected --timeout with a unit (15s, 500ms), got "5"'],
  [['owner', 'deploy', '--timeout', '0'], 'Expected --timeout of more than 0, got "0"'],
];

const FLAGS_AND_COMMANDS: readonly Row[] = [
  [['ownr', 'deploy'], "unknown command 'ownr' (Did you mean owner?)"],
  [['frobnicate'], "unknown command 'frobnicate'"],
  [['owner', 'deploy', '--jsn'], "unknown option '--jsn' (Did you mean --json?)"],
  [['owner', 'deploy', '--frobnicate'], "unknown option '--frobnicate'"],
  [['--quiet', 'owner', 'deploy'], "unknown option '--quiet': options come after the command"],
  [['acquire', '-k', ...OWNER], "unknown option '-k': a key that begins with a dash goes after --"],
  [['acquire', 'a', 'b', ...OWNER], "too many arguments for 'acquire'"],
  [['owner', 'deploy', '--timeout'], "option '--timeout <duration>' argument missing"],
  [['acquire', 'deploy', '--owner', '--literal'], 'Expected a value after --owner, got --literal'],
  [['release', 'deploy', '--owner', '--force', '--yes'], '--owner=--force'],
  [['list', '--kind', 'threads'], 'Expected --kind as one of thread, claim, '],
  [['list', '--health', 'bad'], 'Expected --health as one of no-expiry, late, ok, got "bad"'],
  [['list', '--sort', 'age'], 'Expected --sort as one of worst, left, '],
  [['list', '--limit', '0'], 'Expected --limit as a whole number from 1, got "0"'],
  [['list', '--limit', '1.5'], 'Expected --limit as a whole number from 1, got "1.5"'],
  [['list', '--owner', ''], 'Expected an owner after --owner, got an empty one'],
  [['owner', 'deploy', '--key-prefix', ''], 'Expected a prefix after --key-prefix, got an empty one'],
  [
    ['owner', 'deploy', '--password-file', '/nowhere/pw'],
    'Expected a readable file after --password-file, got /nowhere/pw (ENOENT)',
  ],
  [
    ['owner', 'deploy', '--password-file', '/'],
    'Expected a readable file after --password-file, got / (EISDIR)',
  ],
  [
    ['owner', 'deploy', '--tls-ca', '/nowhere/ca'],
    'Expected a readable file after --tls-ca, got /nowhere/ca (ENOENT)',
  ],
  [['owner', 'deploy\n\u001b[31m', '--frob\u001b[31m'], "unknown option '--frob\\x1b[31m'"],
];

let site: RedisSite;
let proxy: TcpProxy;

beforeAll(async () => {
  site = await openRedisSite();
  proxy = await startTcpProxy(site.server);
});
afterAll(async () => {
  await proxy.stop();
  await site[Symbol.asyncDispose]();
});

describe.concurrent('is refused with 2, in one line that says what was expected, and nothing is even connected to', () => {
  test.each([...KEYS_AND_OWNERS, ...DURATIONS, ...FLAGS_AND_COMMANDS])('%j', async (args, message) => {
    const result = await lease(args, { backend: proxy.url });
    expectRefusal(result, message);
    expect(proxy.connectionCount).toBe(0);
  });

  test.each([
    ['nothing', '', 'Expected keys on stdin, one JSON object a line as list --json prints them, got none'],
    ['an end of a listing alone', '{"complete":true}\n', 'Expected keys on stdin'],
    ['what is no JSON', '{"key":"a"}\ngarbage\n', 'stdin line 2, as list --json prints, got "garbage"'],
    ['an array', '["a"]\n', 'stdin line 1'],
    ['a key that is no text', '{"key":7}\n', 'stdin line 1'],
    ['an empty key', '{"key":""}\n', 'Expected a key, got an empty one'],
    [
      'a key that is not UTF-8, listed in hex',
      '{"key":"a","keyHex":"61ff"}\n',
      'stdin line 1: the key is not UTF-8',
    ],
    ['half of a surrogate pair', '{"key":"\\ud83d"}\n', 'half of a surrogate pair'],
    ['half of a surrogate pair, escaped twice', '{"key":"\\\\u{d83d}"}\n', 'half of a surrogate pair'],
    ['an escape sequence', '\u001b[2J\n', 'got "\\x1b[2J"'],
  ])('on stdin: %s', async (_, stdin, message) => {
    const result = await lease(['release', '-', '--owner', 'run-1'], { backend: proxy.url, stdin });
    expectRefusal(result, message);
    expect(proxy.connectionCount).toBe(0);
  });
});

test('says so as one JSON object where --json is among the arguments', async () => {
  const [usage] = (await lease(['ownr', '--json'])).json();
  expect(usage).toEqual({
    schema: 'mastra-lease/error@1',
    exitCode: 2,
    error: { code: 'ERR_USAGE', message: "unknown command 'ownr' (Did you mean owner?)" },
  });
  const [ttl] = (await lease([...TTL('30'), '--json'], { backend: proxy.url })).json();
  expect(ttl).toMatchObject({
    schema: 'mastra-lease/error@1',
    verb: 'acquire',
    exitCode: 2,
    error: { code: 'ERR_USAGE', message: expect.stringContaining('is it 30s or 30ms?') },
  });
});

test('no arguments at all is help, on stderr, and 2', async () => {
  const { stdout, stderr, exitCode } = await lease([]);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain('Usage: mastra-lease');
});

test('bytes on stdin that are not UTF-8 are refused: replaced, they would name another key', async () => {
  await using directory = await makeTempDir();
  const file = join(directory.path, 'keys');
  await writeFile(file, Buffer.from('{"key":"caf\xe9"}\n', 'latin1'));
  const command = ['/bin/sh', '-c', 'exec "$0" "$1" owner - <"$2"', process.execPath] as const;
  const result = await lease([BIN, file], { backend: proxy.url, command });
  expectRefusal(result, 'Expected keys on stdin as UTF-8');
});

test('an argument that is not UTF-8 is refused too, and one with U+FFFD itself has another way', async () => {
  const command = [
    '/bin/sh',
    '-c',
    'exec "$0" "$1" owner "$(printf \'caf\\351\')"',
    process.execPath,
  ] as const;
  expectRefusal(await lease([BIN], { backend: proxy.url, command }), 'Expected arguments in UTF-8');
  expectRefusal(await lease(['owner', 'caf\ufffd'], { backend: proxy.url }), '\\u{fffd}');
  expect(await lease(['owner', 'caf\\u{fffd}'], { backend: site.name })).toMatchObject({ exitCode: 4 });
});

describe('keys and owners that begin with a dash', () => {
  test('are taken after --, and with = after an option', async () => {
    const backend = site.name;
    expect(await lease(['acquire', '--owner=-abc', '--', '-k'], { backend })).toMatchObject({
      stdout: '-abc\n',
      exitCode: 0,
    });
    expect(await lease(['owner', '--', '-k'], { backend })).toMatchObject({ stdout: '-abc\n' });
    expect(await lease(['transfer', '--from=-abc', '--to=--owner', '--', '-k'], { backend })).toMatchObject({
      exitCode: 0,
    });
    expect(await site.read('-k')).toMatchObject({ owner: '--owner' });
    expect(await lease(['acquire', '--resource=-r', '--thread=-t', '--owner=-x'], { backend })).toMatchObject(
      { exitCode: 0 },
    );
    expect(await site.read('-r\0-t')).toMatchObject({ owner: '-x' });
  });
});

test('a bad TTL in the runtime’s variable is refused where it is needed', async () => {
  const env = { MASTRA_AGENT_THREAD_LEASE_TTL_MS: '15s' };
  const result = await lease(['acquire', 'deploy', ...OWNER], { backend: proxy.url, env });
  expectRefusal(
    result,
    'Expected MASTRA_AGENT_THREAD_LEASE_TTL_MS as whole milliseconds from 1 to 86400000, got "15s"',
  );
});

test('nothing of all that was written', async () => {
  expect((await site.heldKeys()).filter((key) => !key.startsWith('-'))).toEqual([]);
});
