import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { keys, startTerminal, type TerminalRun } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { makePackage } from './application-folder.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));
const FRAME = '[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]';
const ANY_FRAME = new RegExp(FRAME);
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

let site: RedisSite;
let proxy: TcpProxy;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(async () => {
  await site.clear();
  await site.hold('moved', 'me', 600_000);
  proxy = await startTcpProxy(site.server);
  return () => proxy.stop();
});
afterAll(() => site[Symbol.asyncDispose]());

function show(args: readonly string[], options: Parameters<typeof startTerminal>[1] = {}) {
  return startTerminal(args, { columns: 120, env: { MASTRA_LEASE_BACKEND: proxy.url }, ...options });
}

function expectGone({ raw, lines }: TerminalRun, text: string): void {
  expect(lines.join('\n')).not.toMatch(ANY_FRAME);
  expect(lines.join('\n')).not.toContain(text);
  expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(raw.lastIndexOf(HIDE_CURSOR));
}

/** Waits until whatever began before has had its 300 ms: another command that shows it has had them too. */
async function waitUntilShownBeside(): Promise<void> {
  await using silent = await startTcpProxy(site.server);
  silent.pause('down');
  await using beside = await startTerminal(['owner', 'moved', '--timeout', '60s'], {
    env: { MASTRA_LEASE_BACKEND: silent.url },
  });
  await beside.waitForScreen(/asking/);
}

describe('a slow backend is shown as what is asked, and nothing of that is left', () => {
  test.each<[name: string, args: readonly string[]]>([
    ['owner', ['owner', 'moved']],
    ['acquire', ['acquire', 'fresh', '--owner', 'me']],
    ['acquire --keep', ['acquire', 'fresh', '--keep', '--max-duration', '100ms']],
    ['renew', ['renew', 'moved', '--owner', 'me', '--ttl', '10m']],
    ['transfer', ['transfer', 'moved', '--from', 'me', '--to', 'you']],
    ['release', ['release', 'moved', '--owner', 'me']],
    ['list', ['list']],
    ['inspect', ['inspect']],
    ['inspect of a key', ['inspect', 'fresh']],
    ['check', ['check']],
  ])('by %s', async (_, args) => {
    proxy.pause('down');
    await using terminal = await show([...args, '--timeout', '60s']);
    await terminal.waitForScreen(new RegExp(`^${FRAME} asking ${proxy.url}/0 · mastra:topic`));
    proxy.resume();
    expect(await terminal.end()).toBe(0);
    expectGone(terminal, 'asking');
  });

  test('again for the write, below the holder that was named', async () => {
    proxy.setRoundTripMs(1_000);
    await using terminal = await show([
      'transfer',
      'moved',
      '--force',
      '--yes',
      '--to',
      'you',
      '--timeout',
      '60s',
    ]);
    await terminal.waitForScreen(new RegExp(`^holder: moved is me's .*\n${FRAME} asking `));
    expect(await terminal.end()).toBe(0);
    expectGone(terminal, 'asking');
  });

  test('below what --verbose tells', async () => {
    proxy.pause('down');
    await using terminal = await show(['owner', 'moved', '--verbose', '--timeout', '60s']);
    await terminal.waitForScreen(new RegExp(`\nverbose: redis: connecting to .*\n${FRAME} asking `));
    proxy.resume();
    expect(await terminal.end()).toBe(0);
    expectGone(terminal, 'asking');
  });

  test('not while keys are still typed', async () => {
    proxy.pause('down');
    await using terminal = await show(['owner', '-', '--timeout', '60s']);
    await waitUntilShownBeside();
    expect(terminal.raw).toBe('');
    terminal.type('{"key":"moved"}\r\u0004');
    await terminal.waitForScreen(new RegExp(`^\\{"key":"moved"\\}\n${FRAME} asking `));
    proxy.resume();
    expect(await terminal.end()).toBe(0);
    expectGone(terminal, 'asking');
  });

  test('a config that takes long is shown too', async () => {
    await using folder = await makePackage({
      'mastra-lease.config.mjs': `
        await new Promise((resolve) => setTimeout(resolve, 1500));
        export default { backend: '${proxy.url}' };`,
    });
    await using terminal = await show(['owner', 'moved'], { cwd: folder.path, env: {}, columns: 200 });
    await terminal.waitForScreen(new RegExp(`^${FRAME} loading .*/mastra-lease\\.config\\.mjs`));
    expect(await terminal.end()).toBe(0);
    expectGone(terminal, 'loading');
  });

  test('and completion says nothing', async () => {
    proxy.pause('down');
    await using terminal = await show(['completion', 'bash', '--', 'mastra-lease owner ', '']);
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).not.toMatch(ANY_FRAME);
  });
});

describe('a command that stays', () => {
  test('exec shows it until the lease is held, and never beside its command', async () => {
    proxy.pause('down');
    await using terminal = await show([
      'exec',
      'job',
      '--ttl',
      '12s',
      '--',
      'sh',
      '-c',
      'echo ours; read line',
    ]);
    await terminal.waitForScreen(new RegExp(`^${FRAME} asking ${proxy.url}/0`));
    proxy.resume();
    await terminal.waitForScreen(/^ours$/m);
    expectGone(terminal, 'asking');
    const before = terminal.raw.slice(0, terminal.raw.indexOf('holding job'));
    expect(before.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(before.lastIndexOf(HIDE_CURSOR));
    proxy.clear();
    proxy.setRoundTripMs(800);
    await waitFor(() => proxy.commands.length > 0, { what: 'a renewal' });
    await waitUntilShownBeside();
    expect(terminal.raw.slice(before.length)).not.toMatch(ANY_FRAME);
    proxy.pause('down');
    terminal.type('\r');
    await terminal.waitForScreen(new RegExp(`^${FRAME} giving job back`, 'm'));
    proxy.resume();
    expect(await terminal.end()).toBe(0);
    expectGone(terminal, 'giving');
  });

  test('exec that is interrupted before it has the lease leaves nothing on the terminal', async () => {
    proxy.pause('down');
    await using terminal = await show(['exec', 'job', '--ttl', '60s', '--', 'echo', 'ours']);
    await terminal.waitForScreen(/asking/);
    terminal.type(keys.ctrlC);
    await terminal.waitForScreen(/\^C/);
    proxy.resume();
    expect(await terminal.end()).toBe(130);
    expectGone(terminal, 'asking');
    expect(terminal.lines).not.toContain('ours');
  });

  test('acquire --keep shows it before its lines, and again when it gives the lease back', async () => {
    proxy.pause('down');
    await using terminal = await show(['acquire', 'job', '--keep', '--ttl', '60s']);
    await terminal.waitForScreen(/^. asking/);
    proxy.resume();
    await terminal.waitForScreen(/^renewed until .*\n.*MASTRA_LEASE_BACKEND/m);
    expectGone(terminal, 'asking');
    proxy.pause('down');
    terminal.type(keys.ctrlC);
    await terminal.waitForScreen(new RegExp(`^(\\^C)?${FRAME} giving job back`, 'm'));
    proxy.resume();
    expect(await terminal.end()).toBe(130);
    expectGone(terminal, 'giving');
  });

  test('watch shows it until its screen is there', async () => {
    proxy.pause('down');
    await using terminal = await show(['watch', 'moved']);
    await terminal.waitForScreen(new RegExp(`^${FRAME} asking ${proxy.url}/0`));
    proxy.resume();
    await terminal.waitForScreen(/moved +.*q quit/s);
    const drawn = terminal.raw.length;
    await waitUntilShownBeside();
    expect(terminal.raw.slice(drawn)).not.toMatch(ANY_FRAME);
    terminal.type('q');
    expect(await terminal.end()).toBe(0);
    expectGone(terminal, 'asking');
  });

  test('watch into a pipe shows it until its first line, and never again', async () => {
    const command = ['/bin/sh', '-c', `"$0" "$@" | cat`, process.execPath, BIN] as const;
    proxy.pause('down');
    await using terminal = await show(['watch', '--for', '1m'], { command: [...command] });
    await terminal.waitForScreen(new RegExp(`^${FRAME} asking ${proxy.url}/0`));
    proxy.resume();
    await terminal.waitForScreen(/MASTRA_LEASE_BACKEND.*moved/s);
    expectGone(terminal, 'asking');
    const told = terminal.raw.length;
    proxy.pause('down');
    await waitUntilShownBeside();
    expect(terminal.raw.slice(told)).not.toMatch(ANY_FRAME);
    terminal.type(keys.ctrlC);
    await terminal.end();
    expectGone(terminal, 'asking');
  });

  test('an event stream of JSON is silent', async () => {
    proxy.pause('down');
    await using terminal = await show(['watch', '--json', '--for', '1m']);
    await waitFor(() => proxy.commands.length > 0, { what: 'the first command' });
    await waitUntilShownBeside();
    expect(terminal.raw).toBe('');
  });
});

describe('conformance', () => {
  test('shows which clause is tried and how many are decided, below the rows', async () => {
    proxy.setRoundTripMs(200);
    await using terminal = await show(['conformance', '--level', 'structural']);
    await terminal.waitForScreen(
      new RegExp(
        `^methods +passed[\\s\\S]*^${FRAME} conformance: \\d of 3 · promises: Every method answers with a promise`,
        'm',
      ),
      20_000,
    );
    proxy.setRoundTripMs(0);
    expect(await terminal.end()).toBe(0);
    expect(terminal.lines.join('\n')).toMatch(/^conforms: 3 passed/m);
    expectGone(terminal, 'conformance:');
  });

  test.each([['--quiet'], ['--json']])('shows nothing with %s', async (flag) => {
    proxy.setRoundTripMs(50);
    await using terminal = await show(['conformance', '--level', 'structural', flag]);
    expect(await terminal.end()).toBe(0);
    expect(terminal.raw).not.toMatch(ANY_FRAME);
  });

  test('that is interrupted leaves nothing on the terminal', async () => {
    proxy.setRoundTripMs(200);
    await using terminal = await show(['conformance', '--level', 'structural']);
    await terminal.waitForScreen(/conformance: \d of 3/, 20_000);
    terminal.type(keys.ctrlC);
    expect(await terminal.end()).toBe(130);
    expectGone(terminal, 'conformance:');
  });
});
