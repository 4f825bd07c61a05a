import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTerminal } from '../support/terminal.js';
import { lease } from './lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

const ESC = '\u001b';
/** Any sequence that sets a colour or a style. */
const STYLED = new RegExp(`${ESC}\\[[\\d;]*m`);

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

interface Screen {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

async function show(args: readonly string[], { columns = 80, env = {} }: Screen = {}) {
  await using terminal = await startTerminal(args, {
    columns,
    env: { MASTRA_LEASE_BACKEND: site.name, ...env },
  });
  const exitCode = await terminal.end();
  return { exitCode, lines: terminal.lines, raw: terminal.raw };
}

describe('list on a terminal', () => {
  test.each([80, 120])('is a table, worst first, that fits in %d columns', async (columns) => {
    await site.client.set(recordOf('user-3\0stuck'), 'run-3');
    await site.hold('user-42\0t-1', 'run-7f3c2a10', 14_900);
    await site.hold('deploy', 'job-1', 600_000);
    const { lines, exitCode } = await show(['list'], { columns });
    expect(
      lines.map((line) => line.replace(/\d+ min( \d+ s)?|\d+\.\d s/, 'LEFT').replace(/ {2,}/g, ' | ')),
    ).toEqual([
      'KIND | RESOURCE | THREAD OR KEY | OWNER | LEFT | HEALTH',
      'thread | user-3 | stuck | run-3 | no expiry | no-expiry',
      'thread | user-42 | t-1 | run-7f3c2a10 | LEFT | ok',
      'other | deploy | job-1 | LEFT | ok',
      '3 leases',
      ...wrapped(`${site.source} · MASTRA_LEASE_BACKEND`, columns),
    ]);
    expect(exitCode).toBe(0);
  });

  test.each([80, 120])(
    'cuts long ids in the middle so that every row fits in %d columns, and shows what matters whole',
    async (columns) => {
      for (const id of ['x'.repeat(200), '漢字'.repeat(60), '🧵'.repeat(60), `${ESC}[31m`.repeat(40)]) {
        await site.hold(`${id}\0${id}`, id, 600_000);
      }
      const { lines, raw } = await show(['list'], { columns, env: { NO_COLOR: '1' } });
      const rows = lines.slice(0, 5);
      for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(columns);
      for (const row of rows.slice(1))
        expect(row).toMatch(/^thread +(\S+…\S+ +){3}(\d+ min \d+ s|10 min) +ok$/);
      expect(lines[5]).toBe('4 leases');
      expect(raw).not.toContain(ESC);
    },
  );

  test('in a pipe every id is whole, however narrow the terminal is', async () => {
    const id = 'x'.repeat(200);
    await site.hold(`${id}\0${id}`, id, 600_000);
    const { stdout } = await lease(['list'], { backend: site.name, env: { COLUMNS: '40' } });
    expect(stdout).toMatch(new RegExp(`^thread\t${id}\\\\0${id}\t${id}\t\\d+\tok\t${id}\t${id}\n$`));
  });

  test('hostile text neither moves the cursor nor sets a colour', async () => {
    const hostile = `${ESC}[2J${ESC}]52;c;ZXZpbA==\u0007\u009b31m\u202e`;
    await site.hold(`${hostile}\0${hostile}`, hostile);
    for (const args of [['list'], ['owner', `thread:\\x1b[2J\\x1b]52;c;ZXZpbA==\\x07\\x9b31m\\u{202e}`]]) {
      const { raw, exitCode } = await show(args, { columns: 200, env: { NO_COLOR: '1' } });
      expect(exitCode).toBe(0);
      expect(raw).toContain('\\x1b[2J');
      expect(raw.replaceAll('\r\n', '')).not.toMatch(/\p{C}/u);
    }
  });

  test('is not cut to nothing where the terminal says that it has no width', async () => {
    await site.hold('user-42\0t-1', 'run-7f3c2a10', 600_000);
    await using terminal = await startTerminal(['list'], {
      env: { MASTRA_LEASE_BACKEND: site.name },
      command: ['/bin/sh', '-c', 'stty cols 0 && exec "$0" "$@"', process.execPath, BIN],
    });
    expect(await terminal.end()).toBe(0);
    expect(terminal.lines[0]).toMatch(/^KIND +RESOURCE +THREAD OR KEY +OWNER +LEFT +HEALTH$/);
  });

  test('of nothing is a sentence', async () => {
    expect((await show(['list'])).lines.join(' ')).toMatch(
      /^0 leases: nothing is leased under mastra:topic; is that the application's prefix/,
    );
  });

  test('with --json is one object a line', async () => {
    await site.hold('deploy', 'job-1');
    const { raw } = await show(['list', '--json']);
    const lines = raw
      .trim()
      .split('\r\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({ key: 'deploy', owner: 'job-1' }),
      expect.objectContaining({ complete: true, total: 1 }),
    ]);
  });
});

describe('an answer on a terminal', () => {
  test('is a word of state, a sentence, and what to do next', async () => {
    await site.hold('deploy', 'job-1', 600_000);
    const refused = await show(['acquire', 'deploy', '--owner', 'job-2'], { columns: 120 });
    expect(refused.exitCode).toBe(3);
    expect(refused.lines[0]).toMatch(/^held {6}deploy is job-1's for another (9 min \d+ s|10 min)$/);
    expect(refused.lines.join('\n')).toContain('mastra-lease owner deploy');
    const held = await show(['owner', 'deploy'], { columns: 120 });
    expect(held.lines[0]).toMatch(/^held {6}deploy is job-1's for another /);
    const free = await show(['owner', 'nightly'], { columns: 120 });
    expect(free.lines[0]).toBe('free      nobody holds nightly under mastra:topic');
    expect(free.exitCode).toBe(4);
  });
});

describe('colour', () => {
  const ROW = ['list'];

  test.each([
    ['is there on a terminal', ROW, {}, true],
    ['is not, with --no-color', [...ROW, '--no-color'], {}, false],
    ['is not, with NO_COLOR', ROW, { NO_COLOR: '1' }, false],
    ['is, with an empty NO_COLOR', ROW, { NO_COLOR: '' }, true],
    ['is not, with TERM=dumb', ROW, { TERM: 'dumb' }, false],
    ['is, with FORCE_COLOR although TERM=dumb', ROW, { TERM: 'dumb', FORCE_COLOR: '1' }, true],
    ['is not, with FORCE_COLOR=0', ROW, { FORCE_COLOR: '0' }, false],
    ['is not, with NO_COLOR although FORCE_COLOR', ROW, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['is not, with --no-color although FORCE_COLOR', [...ROW, '--no-color'], { FORCE_COLOR: '1' }, false],
  ] as const)('%s', async (_, args, env, isStyled) => {
    await site.client.set(recordOf('user-3\0stuck'), 'run-3');
    const { raw, lines } = await show(args, { env });
    expect(STYLED.test(raw)).toBe(isStyled);
    expect(lines.join('\n')).toContain('no-expiry');
  });
});

function wrapped(text: string, columns: number): readonly string[] {
  return text.length <= columns ? [text] : [text.slice(0, columns), text.slice(columns)];
}
