import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRedisSite, type RedisSite } from '../cli/lease-site.js';
import { keys, startTerminal } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';

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

test('a release and a transfer change the server when they are confirmed, and nothing is sent when they are not', async () => {
  await site.hold(KEY, 'run-0c11b7f2');
  await using screen = await startTerminal(['watch', '--write', '--backend', site.name], {
    columns: 100,
    rows: 30,
  });
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
});

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

test('a screen that is ended by a signal says how, as any command does', async () => {
  await using screen = await startTerminal(['watch', '--backend', site.name]);
  await screen.waitForScreen(/nothing is leased there now/, 20_000);
  process.kill(screen.pid, 'SIGTERM');
  expect(await screen.end()).toBe(143);
  await waitFor(() => screen.lines.join('\n').includes('SIGTERM'), { what: 'the signal to be told' });
});
