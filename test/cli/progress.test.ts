import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { keys, startTerminal, type TerminalRun } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { makePackage } from './application-folder.js';
import { startLease } from './lease-cli.js';
import { openRedisSite, type RedisSite } from './lease-site.js';

const FRAME = '[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]';
const ESC = '\u001b';
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
/** A sequence that sets a colour. */
const STYLED = new RegExp(`${ESC}\\[\\d+m`);

let site: RedisSite;
let proxy: TcpProxy;

beforeAll(async () => {
  site = await openRedisSite();
  await site.hold('deploy', 'job-1', 600_000);
});
beforeEach(async () => {
  proxy = await startTcpProxy(site.server);
  proxy.pause('down');
  return () => proxy.stop();
});
afterAll(() => site[Symbol.asyncDispose]());

function show(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<TerminalRun> {
  return startTerminal([...args, '--timeout', '60s'], {
    columns: 100,
    env: { MASTRA_LEASE_BACKEND: proxy.url, ...env },
  });
}

describe('what takes longer than an eye waits', () => {
  test('is shown on the terminal, and gone when the answer is there', async () => {
    await using terminal = await show(['owner', 'deploy']);
    await terminal.waitForScreen(new RegExp(`^${FRAME} asking ${proxy.url}/0 · mastra:topic`));
    proxy.resume();
    expect(await terminal.end()).toBe(0);
    expect(terminal.lines).toHaveLength(2);
    expect(terminal.lines[0]).toMatch(/^held {6}deploy is job-1's/);
    expect(terminal.raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.raw.lastIndexOf(HIDE_CURSOR));
  });

  test('is gone, and the cursor back, when a signal ends it', async () => {
    await using terminal = await show(['owner', 'deploy']);
    await terminal.waitForScreen(/asking/);
    terminal.type(keys.ctrlC);
    expect(await terminal.end()).toBe(130);
    expect(terminal.lines.filter((line) => line !== '^C')).toEqual([
      expect.stringMatching(/error Interrupted by SIGINT$/),
    ]);
    expect(terminal.raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(terminal.raw.lastIndexOf(HIDE_CURSOR));
  });

  test('of a listing tells how many keys were scanned', async () => {
    await using server = await openRedisSite();
    await server.client.eval("for i = 1, 50000 do redis.call('set', 'other:' .. i, 'x') end", 0);
    await using slow = await startTcpProxy(server.server);
    slow.setRoundTripMs(200);
    await using terminal = await startTerminal(['list'], { env: { MASTRA_LEASE_BACKEND: slow.url } });
    await terminal.waitForScreen(new RegExp(`^${FRAME} listing: \\d{1,2},\\d{3} keys scanned`));
    slow.setRoundTripMs(0);
    expect(await terminal.end()).toBe(0);
    expect(terminal.lines.join('\n')).not.toContain('scanned');
  });

  test('of a module is its loading, and what it prints meanwhile stays', async () => {
    await using app = await makePackage({
      'slow.mjs': `
        import { setTimeout } from 'node:timers/promises';
        await setTimeout(1200);
        console.log('the module says something');
        await setTimeout(600);
        export const pubsub = { acquireLease() {}, async getLeaseOwner() {}, releaseLease() {}, renewLease() {}, transferLease() {} };`,
    });
    const module = `${app.path}/slow.mjs`;
    await using terminal = await startTerminal(['owner', 'deploy', '--backend', module], { columns: 200 });
    await terminal.waitForScreen(new RegExp(`${FRAME} loading .*/slow.mjs`));
    expect(await terminal.end()).toBe(4);
    expect(terminal.lines[0]).toBe('the module says something');
    expect(terminal.lines.join('\n')).not.toContain('loading');
  });

  test.each([
    ['wait', ['wait', 'deploy', '--until', 'free'], 'waiting until free'],
    ['acquire --wait', ['acquire', 'deploy', '--wait', '5m'], 'waiting up to 5 min for its turn'],
    [
      'exec --wait',
      ['exec', 'deploy', '--wait', '5m', '--', 'echo', 'ours'],
      'waiting up to 5 min for its turn',
    ],
  ] as const)('of %s is what is waited for', async (_, args, text) => {
    await using terminal = await startTerminal(args, {
      columns: 160,
      env: { MASTRA_LEASE_BACKEND: site.name },
    });
    await terminal.waitForScreen(new RegExp(`^${FRAME} ${text}`, 'm'));
    await site.clear();
    expect(await terminal.end()).toBe(0);
    expect(terminal.lines.join('\n')).not.toMatch(new RegExp(`${FRAME} `));
    await site.hold('deploy', 'job-1', 600_000);
  });

  test.each([
    ['--quiet', ['-q'], {}],
    ['--json', ['--json'], {}],
    ['TERM=dumb', [], { TERM: 'dumb' }],
    ['CI', [], { CI: '1' }],
  ] as const)('is not shown with %s', async (_, flags, env) => {
    await using terminal = await show(['owner', 'deploy', ...flags], env);
    await waitFor(() => proxy.commands.some(([name]) => name === 'eval'), { what: 'the command to be sent' });
    // A second command that does show it tells that the time for it has come.
    await using beside = await show(['owner', 'deploy']);
    await beside.waitForScreen(/asking/);
    expect(terminal.raw).toBe('');
    proxy.resume();
    expect(await terminal.end()).toBe(0);
  });

  test.each([
    ['--no-color', ['--no-color'], { FORCE_COLOR: '1' }, false],
    ['NO_COLOR', [], { NO_COLOR: '1' }, false],
    ['nothing against it', [], {}, true],
  ] as const)('has colour or none, with %s', async (_, flags, env, isStyled) => {
    await using terminal = await show(['owner', 'deploy', ...flags], env);
    await terminal.waitForScreen(/asking/);
    expect(STYLED.test(terminal.raw)).toBe(isStyled);
  });

  test('leaves no trace off a terminal', async () => {
    await using running = await startLease(['owner', 'deploy', '--timeout', '60s'], { backend: proxy.url });
    await using beside = await show(['owner', 'deploy']);
    await beside.waitForScreen(/asking/);
    proxy.resume();
    const { stdout, stderr } = await running.done;
    expect({ stdout, stderr }).toEqual({
      stdout: 'job-1\n',
      stderr: `${proxy.url}/0 primary · mastra:topic · MASTRA_LEASE_BACKEND\n`,
    });
  });
});
