import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRedisSite, type RedisSite } from '../cli/lease-site.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir } from '../support/temp-dir.js';
import { keys, startTerminal, type TerminalRun } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { AS_BEFORE, ON_SCREEN, terminalModes } from './terminal-modes.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
beforeEach(() => site.clear());
afterAll(() => site[Symbol.asyncDispose]());

const KEY = 'user-9\0intro';

/** How often the server has run what changes a lease: scripts by hash or text, and the commands in them. */
async function writesSoFar(): Promise<number> {
  const stats = await site.client.info('commandstats');
  return ['del', 'set', 'pexpire', 'getdel'].reduce(
    (sum, name) => sum + Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0),
    0,
  );
}

test('the screen of the real watch follows a real server', async () => {
  await site.hold(KEY, 'run-0c11b7f2');
  await using screen = await startTerminal(['watch', '--backend', site.name], { columns: 100, rows: 30 });
  await screen.waitForScreen(/user-9 +intro +run-0c11b7f2/, 20_000);
  expect(screen.lines[0]).toMatch(/primary · mastra:topic +READ-ONLY $/);
  await screen.waitForScreen(/pushed|polling/);
  await site.hold('user-42\0t-1', 'run-7f3c2a10', 12_000);
  await screen.waitForScreen(/acquired +user-42 \/ t-1/);
  await site.client.set('mastra:topic:lease:user-42\0t-1', 'run-88d0c4e1', 'PX', 12_000);
  await screen.waitForScreen(/transferred +user-42 \/ t-1 +run-7f3c2a10 → run-88d0c4e1/);
  await site.client.del('mastra:topic:lease:user-42\0t-1');
  await screen.waitForScreen(/released +user-42 \/ t-1/);
  screen.type('q');
  expect(await screen.end()).toBe(0);
});

test.each([
  [60, 15],
  [100, 30],
  [200, 60],
])(
  'at %d × %d a release and a transfer change the server when they are confirmed, and nothing is sent when they are not',
  async (columns, rows) => {
    await site.hold(KEY, 'run-0c11b7f2');
    await using screen = await startTerminal(['watch', '--write', '--backend', site.name], { columns, rows });
    await screen.waitForScreen(/user-9 +intro/, 20_000);
    const before = await writesSoFar();
    for (const typed of ['x', `x${keys.enter}`, `xwrong${keys.enter}`, 't', `trun-new${keys.enter}`]) {
      screen.type(typed);
      await screen.waitForScreen(/confirm: |to the owner: /);
      screen.type(keys.escape);
      await screen.waitForScreen(/cancelled: nothing was sent/);
    }
    expect(await writesSoFar()).toBe(before);

    screen.type(`trun-new${keys.enter}`);
    await screen.waitForScreen(/type intro to confirm/);
    screen.type(`intro${keys.enter}`);
    await screen.waitForScreen(/you +moved: thread intro/);
    expect((await site.read(KEY))?.owner).toBe('run-new');
    expect(await writesSoFar()).toBeGreaterThan(before);
    await screen.waitForScreen(/intro +run-new/);

    screen.type('x');
    await screen.waitForScreen(/RELEASE/);
    screen.type(`intro${keys.enter}`);
    await screen.waitForScreen(/you +released: thread intro/);
    expect(await site.read(KEY)).toBeUndefined();
    screen.type('q');
    expect(await screen.end()).toBe(0);
    // The screen is gone by then, and what it showed with it.
    expect(afterScreen(screen)).toMatch(/audit: .* transfer .*intro.*\n.*audit: .* release .*intro/s);
  },
);

test('a run that is at work keeps its lease, whatever is typed, and nothing was written to tell of', async () => {
  await site.hold(KEY, 'run-7f3c');
  const event = { type: 'stream-part', runId: 'run-7f3c', data: { runId: 'run-7f3c', sourceId: 'pod-1' } };
  const stream = `mastra:topic:agent.thread-stream.${encodeURIComponent(KEY)}`;
  await site.client.xadd(stream, '*', 'event', JSON.stringify({ ...event, id: 'e', createdAt: new Date() }));
  await using screen = await startTerminal(['watch', '--write', '--backend', site.name], {
    columns: 200,
    rows: 30,
  });
  await screen.waitForScreen(/user-9 +intro/, 20_000);
  const before = await writesSoFar();
  for (const typed of ['x', `trun-new${keys.enter}`]) {
    screen.type(typed);
    await screen.waitForScreen(/confirm: /);
    screen.type(`intro${keys.enter}`);
    await screen.waitForScreen(
      /you +the (release|transfer) changed nothing: active: thread intro .* is not known to be quiet/,
    );
    await screen.waitForScreen(/intro +run-7f3c/);
  }
  expect((await site.read(KEY))?.owner).toBe('run-7f3c');
  expect(await writesSoFar()).toBe(before);
  screen.type('q');
  expect(await screen.end()).toBe(0);
  expect(afterScreen(screen)).not.toContain('audit:');
});

test('what was written is told by whichever way the screen ends', async () => {
  for (const end of ['q', keys.ctrlC, 'SIGTERM', 'SIGHUP'] as const) {
    await site.hold(KEY, 'run-0c11b7f2');
    await using screen = await startTerminal(['watch', '--write', '--backend', site.name], { columns: 100 });
    await screen.waitForScreen(/user-9 +intro/, 20_000);
    screen.type('x');
    await screen.waitForScreen(/RELEASE/);
    screen.type(`intro${keys.enter}`);
    await screen.waitForScreen(/you +released: thread intro/);
    if (end === 'SIGTERM' || end === 'SIGHUP') process.kill(screen.pid, end);
    else screen.type(end);
    await screen.end();
    expect(afterScreen(screen), end).toMatch(/audit: .* release .*intro.*: done, now nobody's/);
  }
});

test('a write that is not answered when the screen is left is kept as unknown, and told', async () => {
  await using proxy = await startTcpProxy(site.server);
  await using folder = await makeTempDir();
  const file = join(folder.path, 'audit.ndjson');
  await site.hold(KEY, 'run-0c11b7f2');
  const args = ['watch', '--write', '--audit-file', file, '--backend', proxy.url];
  await using screen = await startTerminal(args, { columns: 100 });
  await screen.waitForScreen(/user-9 +intro/, 20_000);
  screen.type('x');
  await screen.waitForScreen(/RELEASE/);
  proxy.setRoundTripMs(3_000);
  screen.type(`intro${keys.enter}`);
  // Only the script that releases is sent the owner.
  await waitFor(() => proxy.commands.some((command) => command.includes('run-0c11b7f2')), {
    deadlineMs: 15_000,
    what: 'the release on its way',
  });
  proxy.pause('down');
  screen.type('q');
  await screen.waitForScreen(/is not answered yet/);
  screen.type('q');
  await screen.end();
  expect(afterScreen(screen)).toContain('a write may have been sent');
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ verb: 'release', outcome: 'unknown' });
});

/** What is on the terminal when it is given back. */
function afterScreen({ raw }: { readonly raw: string }): string {
  return raw.slice(raw.lastIndexOf('\u001b[?1049l'));
}

test('a server that dies and returns is stale and then fresh, with what is there by then', async () => {
  await using own = await openRedisSite();
  await own.hold(KEY, 'run-0c11b7f2');
  await using screen = await startTerminal(['watch', '--backend', own.name], { columns: 100, rows: 30 });
  await screen.waitForScreen(/user-9 +intro/, 20_000);
  await own.server.kill();
  await screen.waitForScreen(/STALE \d+ s: /, 20_000);
  expect(screen.lines.join('\n')).toContain('run-0c11b7f2');
  await own.server.restart();
  await (await own.server.client()).set('mastra:topic:lease:deploy', 'job-1', 'PX', 60_000);
  await screen.waitForScreen(/deploy +job-1/, 20_000);
  await screen.waitForScreen(/pushed|polling/);
  expect(screen.lines.join('\n')).not.toContain('STALE');
  screen.type(keys.ctrlC);
  expect(await screen.end()).toBe(130);
});

test.each<[string, (screen: TerminalRun) => void, number, RegExp]>([
  ['q', (screen) => screen.type('q'), 0, /^$/],
  ['Ctrl-C', (screen) => screen.type(keys.ctrlC), 130, /^$/],
  ['SIGTERM', ({ pid }) => process.kill(pid, 'SIGTERM'), 143, /^error Interrupted by SIGTERM$/],
  ['SIGHUP', ({ pid }) => process.kill(pid, 'SIGHUP'), 129, /^error Interrupted by SIGHUP$/],
])(
  'the real watch leaves the terminal as it was after %s, and says how it ended',
  async (_, end, exitCode, says) => {
    await using screen = await startTerminal(['watch', '--quiet', '--backend', site.name]);
    await screen.waitForScreen(/nothing is leased there now/, 20_000);
    expect(terminalModes(screen.raw)).toEqual(ON_SCREEN);
    end(screen);
    expect(await screen.end()).toBe(exitCode);
    expect(terminalModes(screen.raw)).toEqual(AS_BEFORE);
    expect(screen.lines.join('\n')).toMatch(says);
  },
);

test('a terminal of 20×5 is told to be too small, and the screen comes when it is given more room', async () => {
  await site.hold(KEY, 'run-0c11b7f2');
  await using screen = await startTerminal(['watch', '--quiet', '--backend', site.name], {
    columns: 20,
    rows: 5,
  });
  await screen.waitForScreen(/^too small: need 40×8$/, 20_000);
  expect(screen.lines).toHaveLength(1);
  screen.resize(60, 15);
  await screen.waitForScreen(/intro +run-0c11b7f2/);
  screen.type('q');
  expect(await screen.end()).toBe(0);
});

test('no password is shown or written, and the view goes into a new file and never over another', async () => {
  await using folder = await makeTempDir();
  const { host, port } = site.server;
  await site.client.call('ACL', 'SETUSER', 'ops', 'on', '>hunter2', '~*', '&*', '+@all');
  await site.hold(KEY, 'run-0c11b7f2');
  await using screen = await startTerminal(
    ['watch', '--write', '--backend', `redis://ops:hunter2@${host}:${port}`],
    { columns: 100, rows: 30 },
  );
  await screen.waitForScreen(/intro +run-0c11b7f2/, 20_000);
  const [fresh, taken] = [join(folder.path, 'view.txt'), join(folder.path, 'taken.txt')];
  await writeFile(taken, 'precious');
  for (const [path, says] of [
    [fresh, /exported +\/.*view\.txt/],
    [taken, /not written +EEXIST/],
  ] as const) {
    screen.type('e');
    await screen.waitForScreen(/export to the file/);
    screen.type(`\u0015${path}${keys.enter}`);
    await screen.waitForScreen(says);
  }
  expect(await readFile(taken, 'utf8')).toBe('precious');
  const view = await readFile(fresh, 'utf8');
  expect(view).toMatch(/^# redis:\/\/127\.0\.0\.1:\d+\/0 primary · mastra:topic · --backend\n/);
  expect(view).toMatch(/^thread\tuser-9\\0intro\trun-0c11b7f2\t\d+\tok\tuser-9$/m);
  screen.type('x');
  await screen.waitForScreen(/on +redis:\/\/127\.0\.0\.1:\d+\/0 primary/);
  screen.type(keys.escape);
  await screen.waitForScreen(/cancelled: nothing was sent/);
  screen.type('q');
  expect(await screen.end()).toBe(0);
  expect(screen.raw + view).not.toContain('hunter2');
});
