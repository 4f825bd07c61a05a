import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type MadeEvent, writeHistory } from '../redis/thread-events.js';
import { keys, startTerminal } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { openRedisSite, type RedisSite, recordOf } from './lease-site.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));
const THREAD = 'user-42\0abc';
const NAMED = ['inspect', '--resource', 'user-42', '--thread', 'abc'];
const ESC = '\u001b';
/** Any sequence that sets a colour or a style. */
const STYLED = new RegExp(`${ESC}\\[[\\d;]*m`);

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(async () => {
  await site.clear();
  await site.hold(THREAD, 'run-1', 60_000);
  const registered: MadeEvent = { type: 'run-registered', runId: 'run-1', sourceId: 'pod-1' };
  await writeHistory(site.client, THREAD, [[90_000, registered]]);
});
afterAll(() => site[Symbol.asyncDispose]());

const start = (args: readonly string[], options: Parameters<typeof startTerminal>[1] = {}) =>
  startTerminal(args, {
    columns: 110,
    rows: 30,
    ...options,
    env: { MASTRA_LEASE_BACKEND: site.name, ...options.env },
  });

/** Renews the lease as its owner does, until it is disposed of. */
function renewing(everyMs = 250): Disposable {
  const timer = setInterval(() => void site.client.pexpire(recordOf(THREAD), 60_000), everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

const count = (lines: readonly string[], pattern: RegExp) =>
  lines.filter((line) => pattern.test(line)).length;

test('one look is shown at once, and a renewal that is seen is written in its place', async () => {
  await using terminal = await start([...NAMED, '--ttl', '60s']);
  await terminal.waitForScreen(/verdict {3}SILENT[\s\S]*watching for renewals, 20\.5 s at most · q ends it/);
  using _owner = renewing();
  expect(await terminal.end()).toBe(0);
  const { lines } = terminal;
  expect(lines[0]).toMatch(
    /^thread abc · resource user-42 .*127\.0\.0\.1.* primary · mastra:topic · \d{4}-.*Z$/,
  );
  expect(lines.join('\n')).toMatch(/lease {5}held by run-1 · .* left · renewed once in \d/);
  expect(lines.join('\n')).not.toContain('watching');
  for (const once of [/^thread abc/, /^ {2}lease /, /^ {2}verdict /, /^ {2}next {2}1/])
    expect(count(lines, once), String(once)).toBe(1);
});

test('without a renewal it ends by itself once one is overdue, with the verdict that it also gives in a pipe', async () => {
  await using terminal = await start([...NAMED, '--ttl', '600ms']);
  expect(await terminal.end()).toBe(0);
  const screen = terminal.lines.join('\n');
  expect(screen).toMatch(/not renewed in the [67]\d\d ms it was watched/);
  expect(screen).toMatch(/verdict {3}SILENT /);
});

test.each([
  ['q', 'q'],
  ['Ctrl-C', keys.ctrlC],
  ['Escape', keys.escape],
])('%s ends the watching with 0, and leaves what was seen', async (_, key) => {
  await using terminal = await start([...NAMED, '--ttl', '60s']);
  await terminal.waitForScreen(/watching for renewals/);
  terminal.type(key);
  expect(await terminal.end()).toBe(0);
  const screen = terminal.lines.join('\n');
  expect(screen).toMatch(/verdict {3}SILENT /);
  expect(screen).not.toContain('watching');
});

test('SIGINT while it watches ends it with 0 too; SIGTERM with 143, told below what was seen', async () => {
  for (const [signal, code] of [
    ['SIGINT', 0],
    ['SIGTERM', 143],
  ] as const) {
    await using terminal = await start([...NAMED, '--ttl', '60s']);
    await terminal.waitForScreen(/watching for renewals/);
    process.kill(terminal.pid, signal);
    expect(await terminal.end()).toBe(code);
    const screen = terminal.lines.join('\n');
    expect(screen).toMatch(/verdict {3}SILENT /);
    expect(screen).not.toContain('watching');
    expect(screen.includes('error Interrupted by SIGTERM')).toBe(signal === 'SIGTERM');
  }
});

test('the terminal is left as it was', async () => {
  const script = 'before=$(stty -g); "$0" "$@"; [ "$before" = "$(stty -g)" ] && echo the same';
  const command = ['/bin/sh', '-c', script, process.execPath, BIN] as const;
  await using terminal = await start([...NAMED, '--ttl', '60s'], { command: [...command] });
  await terminal.waitForScreen(/watching for renewals/);
  terminal.type('q');
  await terminal.end();
  expect(terminal.lines.at(-1)).toBe('the same');
});

test('a key that cannot be renewed, or that nobody holds, is one look', async () => {
  await site.hold('deploy', 'job-1');
  for (const key of ['deploy', 'nobody']) {
    await using terminal = await start(['inspect', key]);
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).not.toContain('watching');
  }
});

test.each([
  [20, 12],
  [80, 12],
])(
  'in a terminal of %d columns and %d rows, where it does not fit, only what is new is added',
  async (columns, rows) => {
    await using terminal = await start([...NAMED, '--ttl', '60s'], { columns, rows, env: { NO_COLOR: '1' } });
    await terminal.waitForScreen(/watching/);
    using _owner = renewing();
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).not.toContain(`${ESC}8`);
    expect(terminal.raw.match(/thread abc ·/g)).toHaveLength(1);
    expect(terminal.raw).toContain('renewed once in');
  },
);

test('a terminal that is made smaller meanwhile is written to below, never over', async () => {
  await using terminal = await start([...NAMED, '--ttl', '60s']);
  await terminal.waitForScreen(/watching for renewals/);
  const before = terminal.raw.length;
  terminal.resize(60, 20);
  await waitFor(() => terminal.raw.length >= before, { what: 'the new size' });
  using _owner = renewing();
  expect(await terminal.end()).toBe(0);
  expect(terminal.lines.join('')).toContain('renewed once in');
});

test('several keys are watched together where that was asked for, a screen each', async () => {
  await site.hold('user-42\0other', 'run-2', 60_000);
  const args = ['inspect', 'user-42\\0abc', 'user-42\\0other', '--observe', '1s'];
  await using terminal = await start(args, { rows: 60 });
  await terminal.waitForScreen(/watching for renewals/);
  using _owner = renewing();
  expect(await terminal.end()).toBe(0);
  const screen = terminal.lines.join('\n');
  expect(screen).toMatch(/held by run-1 .* renewed (once|every) [\s\S]*held by run-2 .* not renewed in the/);
});

test('NO_COLOR leaves the words, and TERM=dumb moves nothing', async () => {
  await using plain = await start([...NAMED, '--ttl', '600ms'], { env: { NO_COLOR: '1' } });
  await plain.end();
  expect(plain.raw).not.toMatch(STYLED);
  expect(plain.lines.join('\n')).toContain('SILENT');
  await using dumb = await start(NAMED, { env: { TERM: 'dumb' } });
  expect(await dumb.end()).toBe(0);
  expect(dumb.raw).not.toContain(ESC);
  expect(count(dumb.lines, /^thread abc/)).toBe(1);
});
