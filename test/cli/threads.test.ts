import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { escapeText } from '../../src/lease/text.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';
import { openShell, printedCommands, type Shell } from './shell.js';

let site: RedisSite;
let shell: Shell;

beforeAll(async () => {
  site = await openRedisSite();
  shell = await openShell();
});
beforeEach(() => site.clear());
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await shell[Symbol.asyncDispose]();
});

const run = (args: readonly string[]) => lease(args, { backend: site.name });

describe('a read of thread:abc', () => {
  test('is the literal key first', async () => {
    await site.hold('thread:abc', 'job-1');
    await site.hold('user-42\0abc', 'run-1');
    const result = await run(['owner', 'thread:abc']);
    expect(result).toMatchObject({ stdout: 'job-1\n', stderr: `${site.source} · MASTRA_LEASE_BACKEND\n` });
  });

  test('is the one held thread with that id, named on stderr', async () => {
    await site.hold('user-42\0abc', 'run-1');
    await site.hold('user-42\0abcd', 'run-2');
    await site.hold('thread-claim:user-42\0abc', 'process-1');
    const result = await run(['owner', 'thread:abc']);
    expect(result).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
    expect(result.stderr).toContain('thread:abc itself is not held; this is thread abc · resource user-42');
    const [answer] = (await run(['owner', 'thread:abc', '--json'])).json();
    expect(answer).toMatchObject({
      key: 'user-42\\0abc',
      kind: 'thread',
      thread: 'abc',
      resource: 'user-42',
    });
  });

  test('is refused with 2 when several threads have it, with a command for each, which runs', async () => {
    await site.hold('user-1\0abc', 'run-1');
    await site.hold('user-2\0abc', 'run-2');
    for (const args of [['thread:abc'], ['--thread', 'abc']]) {
      const result = await run(['owner', ...args]);
      expect(result).toMatchObject({ stdout: '', exitCode: 2 });
      expect(result.stderr).toContain('2 held threads have the id abc, of different resources');
      const commands = [...printedCommands(result.stderr)].sort();
      expect(commands).toEqual([
        '  mastra-lease owner --resource user-1 --thread abc    # held by run-1',
        '  mastra-lease owner --resource user-2 --thread abc    # held by run-2',
      ]);
      const answers = await Promise.all(commands.map((command) => shell.run(command, site.name)));
      expect(answers.map(({ stdout }) => stdout)).toEqual(['run-1\n', 'run-2\n']);
    }
    const [error] = (await run(['owner', 'thread:abc', '--json'])).json();
    expect(error).toMatchObject({
      schema: 'mastra-lease/error@1',
      exitCode: 2,
      error: {
        code: 'ERR_LEASE_AMBIGUOUS_KEY',
        candidates: expect.arrayContaining([
          { key: 'user-1\\0abc', kind: 'thread', resource: 'user-1', thread: 'abc', owner: 'run-1' },
        ]),
      },
    });
  });

  test('is free when nobody holds either, and an empty prefix is pointed out', async () => {
    const nothing = await run(['owner', 'thread:abc']);
    expect(nothing).toMatchObject({ stdout: '', exitCode: 4 });
    expect(nothing.stderr).toContain('nothing at all is leased under the prefix mastra:topic');
    await site.hold('user-42\0other', 'run-1');
    const free = await run(['owner', 'thread:abc']);
    expect(free).toMatchObject({ stdout: '', exitCode: 4 });
    expect(free.stderr).not.toContain('nothing at all');
  });

  test('leaves the other keys of the command their answers', async () => {
    await site.hold('user-1\0abc', 'run-1');
    await site.hold('user-2\0abc', 'run-2');
    await site.hold('deploy', 'job-1');
    const result = await run(['owner', 'thread:abc', 'deploy']);
    expect(result.stdout).toMatch(/^thread:abc\tERR_LEASE_AMBIGUOUS_KEY\t-\t-\ndeploy\theld\tjob-1\t\d+\n$/);
    expect(result.exitCode).toBe(2);
    expect(printedCommands(result.stderr)[0]).toMatch(/mastra-lease owner --resource user-\d --thread abc /);
  });
});

describe('a write on thread:abc', () => {
  const WRITES = [
    { verb: 'release', flags: ['--owner', 'run-1'], leaves: undefined },
    { verb: 'release', flags: ['--force', '--yes'], leaves: undefined },
    { verb: 'renew', flags: ['--owner', 'run-1', '--ttl', '10m'], leaves: 'run-1' },
    {
      verb: 'transfer',
      flags: ['--from', 'run-1', '--to', 'thread:xyz', '--ttl', '10m'],
      leaves: 'thread:xyz',
    },
    { verb: 'acquire', flags: ['--owner', 'run-1', '--ttl', '10m'], leaves: 'run-1' },
  ] as const;

  test.each(WRITES)(
    'is refused where that thread is held: $verb $flags prints the command that does it',
    async ({ verb, flags, leaves }) => {
      await site.hold('user-42\0abc', 'run-1');
      const result = await run([verb, 'thread:abc', ...flags]);
      expect(result).toMatchObject({ stdout: '', exitCode: 2 });
      expect(result.stderr).toContain(
        'thread:abc is not held, but the thread abc is: a write does not guess',
      );
      expect(await site.heldKeys()).toEqual(['user-42\0abc']);
      expect((await site.read('user-42\0abc'))?.leftMs).toBeLessThanOrEqual(60_000);

      const [command = ''] = printedCommands(result.stderr);
      expect(await shell.run(command, site.name)).toMatchObject({ exitCode: 0 });
      const after = await site.read('user-42\0abc');
      expect(after?.owner).toBe(leaves);
      if (after) expect(after.leftMs).toBeGreaterThan(500_000);
    },
  );

  test('acts on the literal key where no such thread is held, and says that the runtime does not use it', async () => {
    const result = await run(['acquire', 'thread:abc', '--owner', 'job-1']);
    expect(result).toMatchObject({ stdout: 'job-1\n', exitCode: 0 });
    expect(result.stderr).toContain("Mastra's runtime does not use this key");
    expect(await site.heldKeys()).toEqual(['thread:abc']);
  });

  test('acts on the literal key with --literal, whatever thread is held', async () => {
    await site.hold('user-42\0abc', 'run-1');
    expect(await run(['acquire', 'thread:abc', '--literal', '--owner', 'job-1'])).toMatchObject({
      exitCode: 0,
    });
    expect(await site.heldKeys()).toEqual(['thread:abc', 'user-42\0abc']);
  });

  test('says nothing was leased where --thread finds none, with 2, and needs --resource', async () => {
    const write = ['acquire', '--thread', 'abc', '--owner', 'run-1'];
    const result = await run(write);
    expect(result).toMatchObject({ stdout: '', exitCode: 2 });
    expect(result.stderr).toMatch(/No held lease has the thread id abc.*--resource/);
    expect(await run([...write, '--resource', 'user-42'])).toMatchObject({ exitCode: 0 });
    expect(await site.heldKeys()).toEqual(['user-42\0abc']);
  });

  test('names no other key of the command, keeps the flags, and quotes what the shell would take', async () => {
    await site.client.set(recordOf("it's\0abc", "a b'c"), 'run-1', 'PX', 60_000);
    const result = await run(['release', '--owner=run-1', '--key-prefix', "a b'c", '--', '-k', 'thread:abc']);
    const commands = printedCommands(result.stderr);
    expect(commands).toEqual([
      String.raw`  mastra-lease release --owner run-1 --key-prefix 'a b'\''c' --resource 'it'\''s' --thread abc    # held by run-1`,
    ]);
    expect(await shell.run(commands[0] ?? '', site.name)).toMatchObject({
      stdout: 'released\n',
      exitCode: 0,
    });
  });

  test('prints no password of the URL', async () => {
    await site.hold('user-42\0abc', 'run-1');
    const backend = `redis://default:hunter2@127.0.0.1:${site.server.port}`;
    const result = await lease(['release', 'thread:abc', '--owner', 'run-1', '--backend', backend]);
    expect(printedCommands(result.stderr)[0]).toContain(`redis://…@127.0.0.1:${site.server.port}`);
    expect(result.stderr).not.toContain('hunter2');
  });
});

describe('--thread', () => {
  test('alone is the one held thread; with --resource it is that very key', async () => {
    await site.hold('user-42\0abc', 'run-1');
    const found = await run(['owner', '--thread', 'abc']);
    expect(found).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
    expect(found.stderr).toContain('the one held thread with that id: thread abc · resource user-42');
    expect(await run(['owner', '--thread', 'abc', '--resource', 'user-7'])).toMatchObject({ exitCode: 4 });
    expect(await run(['renew', '--thread', 'abc', '--owner', 'run-1'])).toMatchObject({ exitCode: 0 });
  });

  test('takes an empty resource, which the runtime uses too', async () => {
    await site.hold('\0abc', 'run-1');
    expect(await run(['owner', '--thread', 'abc', '--resource', ''])).toMatchObject({ stdout: 'run-1\n' });
    expect(await run(['owner', '\\0abc'])).toMatchObject({ stdout: 'run-1\n' });
    expect(await run(['owner', 'thread:abc'])).toMatchObject({ stdout: 'run-1\n' });
  });

  test('says that ids with a NUL in them cannot be told apart', async () => {
    await site.hold('a\0b\0c', 'run-1');
    const result = await run(['owner', 'a\\0b\\0c']);
    expect(result.stdout).toBe('run-1\n');
    expect(result.stderr).toContain('a second NUL');
  });
});

describe('ids that are hard to write', () => {
  const IDS = [
    'two words',
    `it's "quoted"`,
    '$HOME `id` $(id) *',
    '-rf',
    '--force',
    'C:\\new\\table',
    '🧵 naïve',
    'a\nb',
    'tab\tbell\u0007esc\u001b[31m',
    '\u202egnirts',
    '\\0',
    '# no comment; true && false',
  ];

  test.each(IDS)('%j is found as it is written, and by the command that is printed', async (id) => {
    await site.hold(`user ${id}\0${id}`, `run ${id}`);
    const written = escapeText(id);
    const refused = await run(['release', `--owner=run ${written}`, '--', `thread:${written}`]);
    expect(refused).toMatchObject({ stdout: '', exitCode: 2 });
    expect(refused.stderr).not.toMatch(/[^\n\x20-\x7e\u00a0-\u{10ffff}]|\u202e/u);
    const [command = ''] = printedCommands(refused.stderr);
    expect(await shell.run(command, site.name)).toMatchObject({ stdout: 'released\n', exitCode: 0 });
    expect(await site.heldKeys()).toEqual([]);
  });
});
