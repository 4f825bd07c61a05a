import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { escapeText } from '../../src/lease/text.js';
import { lease } from './lease-cli.js';
import { type LeaseSite, openRedisSite, openSqliteSite } from './lease-site.js';
import { openShell, type Shell } from './shell.js';

const HARD_KEYS = [
  'user-42\0t-1',
  '\0t-1',
  'a b\0c\td',
  'it\'s\0"x" $(id)',
  '\u001b[31m',
  '🧵\0\u202e',
  '-k',
  'C:\\0',
  'line\nfeed',
  'mastra:durable-agent-recovery:v1:["a","b"]',
];
const FENCE = 'workflow-step-run:run-9:event-1';

let shell: Shell;

beforeAll(async () => {
  shell = await openShell();
});
afterAll(() => shell[Symbol.asyncDispose]());

describe.each([
  ['Redis', openRedisSite],
  ['SQLite', openSqliteSite],
] as const)('on %s', (_, open) => {
  let site: LeaseSite;

  beforeAll(async () => {
    site = await open();
  });
  beforeEach(async () => {
    await site.clear();
    for (const key of HARD_KEYS) await site.hold(key, `owner of ${key}`);
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test('list --json | owner - gives every key and owner back as it was written', async () => {
    const result = await shell.run('mastra-lease list --json | mastra-lease owner - --json', site.name);
    const answers = result.json();
    expect(answers.map(({ key, owner }) => [key, owner]).sort()).toEqual(
      HARD_KEYS.map((key) => [escapeText(key), escapeText(`owner of ${key}`)]).sort(),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['held']));
    expect(result.exitCode).toBe(0);
  });

  test('list --json | release - --force --yes shows every holder, then frees all but step fences', async () => {
    await site.hold(FENCE, 'worker-1');
    const pipe = 'mastra-lease list --json | mastra-lease release - --force --yes';
    const result = await shell.run(pipe, site.name);
    expect(result.exitCode).toBe(0);
    expect(await site.heldKeys()).toEqual([FENCE]);
    expect(result.stdout.match(/\treleased\t/g)).toHaveLength(HARD_KEYS.length);
    expect(result.stdout).toContain(`${FENCE}\tskipped\t`);
    expect(result.stderr.match(/^holder: .* is owner of .*'s \(/gm)).toHaveLength(HARD_KEYS.length);
    expect(result.stderr).not.toContain('worker-1');
    expect(result.stderr).toContain('a step fence is kept on purpose until it expires');
    expect(result.stderr.indexOf('holder: ')).toBeLessThan(result.stderr.indexOf('caution: '));
  });

  test('a filter in between decides what is released', async () => {
    const pipe = `mastra-lease list --kind thread --json | mastra-lease release - --force --yes`;
    expect(await shell.run(pipe, site.name)).toMatchObject({ exitCode: 0 });
    expect(await site.heldKeys()).toEqual(HARD_KEYS.filter((key) => !key.includes('\0')).sort());
  });

  test('each line names the holder that is meant: one that took over since is left, with --force too', async () => {
    const listed = await lease(['list', '--json'], { backend: site.name });
    const takeOver = ['transfer', '--from', 'owner of -k', '--to', 'run-live', '--ttl', '1h', '--', '-k'];
    expect(await lease(takeOver, { backend: site.name })).toMatchObject({ exitCode: 0 });
    for (const flags of [[], ['--force', '--yes']]) {
      const result = await lease(['release', '-', ...flags], { backend: site.name, stdin: listed.stdout });
      expect(result.exitCode).toBe(3);
      expect(await site.heldKeys()).toEqual(['-k']);
      expect(result.stdout).toMatch(/^-k\theld-by-other\trun-live\t\d+$/m);
      expect(result.stderr).not.toContain('holder: -k');
    }
  });

  test('one key of a bulk that another holds is left, and ends the bulk with 3', async () => {
    const lines = ['-k', 'C:\\0'].map((key) => `${JSON.stringify({ key: escapeText(key) })}\n`).join('');
    const result = await lease(['release', '-', '--owner', 'owner of -k'], {
      backend: site.name,
      stdin: lines,
    });
    expect(result.exitCode).toBe(3);
    expect(result.stdout.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['-k', 'released'],
      ['C:\\\\0', 'held-by-other'],
      [''],
    ]);
  });

  test('a step fence that is named alone is released', async () => {
    await site.hold(FENCE, 'worker-1');
    const result = await lease(['release', FENCE, '--owner', 'worker-1'], { backend: site.name });
    expect(result).toMatchObject({ stdout: 'released\n', exitCode: 0 });
  });
});

test('a key that cannot be found ends a bulk before anything is written', async () => {
  await using site = await openRedisSite();
  await site.hold('deploy', 'run-1');
  await site.hold('user-1\0abc', 'run-1');
  const result = await lease(['release', 'deploy', 'thread:abc', '--owner', 'run-1'], { backend: site.name });
  expect(result).toMatchObject({ stdout: '', exitCode: 2 });
  expect(await site.heldKeys()).toEqual(['deploy', 'user-1\0abc']);
});

test('a line on stdin that names no key is its own error, and owner - answers for the others in their order', async () => {
  await using site = await openRedisSite();
  await site.hold('deploy', 'run-1');
  await site.client.set(Buffer.from('mastra:topic:lease:caf\xe9', 'latin1'), 'run-2', 'PX', 60_000);
  const { stdout } = await lease(['list', '--json', '--sort', 'owner'], { backend: site.name });
  const stdin = `{"key":"free"}\n${stdout}not JSON\n`;
  const rows = await lease(['owner', '-'], { backend: site.name, stdin });
  expect(rows.stdout.split('\n').map((row) => row.split('\t').slice(0, 2))).toEqual([
    ['free', 'free'],
    ['deploy', 'held'],
    ['hex:636166e9', 'ERR_LEASE_INVALID_KEY'],
    ['-', 'ERR_LEASE_INVALID_KEY'],
    [''],
  ]);
  expect(rows.stderr).toContain('error stdin line 3: the key is not UTF-8');
  expect(rows.exitCode).toBe(2);
  const json = await lease(['owner', '-', '--json'], { backend: site.name, stdin });
  expect(json.json().map(({ schema, key }) => [schema, key])).toEqual([
    ['mastra-lease/outcome@1', 'free'],
    ['mastra-lease/outcome@1', 'deploy'],
    ['mastra-lease/error@1', undefined],
    ['mastra-lease/error@1', undefined],
  ]);
});

test('a write and a wait take all lines or none', async () => {
  await using site = await openRedisSite();
  await site.hold('deploy', 'run-1');
  const stdin = '{"key":"deploy","owner":"run-1"}\n{"keyHex":"e9"}\n';
  for (const args of [
    ['release', '-'],
    ['wait', '-', '--until', 'held'],
  ])
    expect(await lease(args, { backend: site.name, stdin })).toMatchObject({ stdout: '', exitCode: 2 });
  expect(await site.heldKeys()).toEqual(['deploy']);
});
