import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { startTerminal } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { lease, startLease } from './lease-cli.js';

/** Where the demo keeps its files in these tests. */
let temporary: TempDir;

beforeEach(async () => {
  temporary = await makeTempDir();
});
afterEach(() => temporary.remove());

const inTemporary = () => ({ env: { TMPDIR: temporary.path } });

/** The command lines of all processes. */
async function commandLines(): Promise<readonly string[]> {
  if (!existsSync('/proc/self/cmdline')) {
    const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'args=']);
    return stdout.split('\n');
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

/** How many processes work for a demo in our folder. */
async function workerCount(): Promise<number> {
  const lines = await commandLines();
  return lines.filter((line) => /demo\/worker\.js/.test(line) && line.includes(temporary.path)).length;
}

async function expectCleanedUp(): Promise<void> {
  await waitFor(async () => (await workerCount()) === 0, {
    what: 'the end of the workers',
    deadlineMs: 10_000,
  });
  await waitFor(() => readdirSync(temporary.path).length === 0, { what: 'the end of the folder' });
}

const startDemo = (...args: readonly string[]) => startLease(['demo', ...args], inTemporary());

describe('demo without a terminal', () => {
  test('shows everything that can happen to a lease, ends with 0, and leaves nothing behind', async () => {
    const { exitCode, stderr, ...result } = await lease(['demo', '--json', '--for', '12s'], {
      ...inTemporary(),
      timeoutMs: 40_000,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const events = result.json();
    const types = new Set(events.map(({ type }) => type));
    for (const type of [
      'snapshot',
      'backend-up',
      'acquired',
      'renewed',
      'transferred',
      'released',
      'late',
      'expired',
    ])
      expect(types).toContain(type);
    expect(events[0]).toMatchObject({
      source: { backend: expect.stringContaining(temporary.path), foundBy: 'demo' },
    });
    const owners = new Set(events.flatMap(({ type, owner }) => (type === 'acquired' ? [owner] : [])));
    expect(owners.size).toBeGreaterThan(8);
    await expectCleanedUp();
  });

  test('runs a dozen processes, on a backend that others can look at', async () => {
    await using running = await startDemo('--for', '60s');
    await running.waitForOutput('stdout', /acquired/);
    await waitFor(async () => (await workerCount()) >= 10, { what: 'the workers' });
    const [, name = ''] = await running.waitForOutput('stderr', /--backend (\S+)/);
    await waitFor(async () => (await lease(['list', '--json'], { backend: name })).json().length > 5, {
      what: 'the leases',
      deadlineMs: 15_000,
    });
    running.child.kill('SIGINT');
    expect(await running.done).toMatchObject({ exitCode: 130 });
    await expectCleanedUp();
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends cleanly by %s', async (signal, exitCode) => {
    await using running = await startDemo('--for', '60s');
    await running.waitForOutput('stdout', /acquired/);
    running.child.kill(signal);
    expect(await running.done).toMatchObject({ exitCode });
    await expectCleanedUp();
  });

  test('ends cleanly when whoever reads it leaves', async () => {
    await using running = await startDemo('--for', '60s');
    await running.waitForOutput('stdout', /acquired/);
    running.child.stdout?.destroy();
    expect(await running.done).toMatchObject({ exitCode: 0 });
    await expectCleanedUp();
  });

  test('killed with SIGKILL takes its workers along, and the last one clears up', async () => {
    await using running = await startDemo('--for', '60s');
    await running.waitForOutput('stdout', /acquired/);
    await waitFor(async () => (await workerCount()) >= 6, { what: 'the workers' });
    running.child.kill('SIGKILL');
    await running.done;
    await expectCleanedUp();
  });

  test.each([
    [['--seed', 'x'], /Expected --seed as a whole number/],
    [['--for', '8'], /Expected --for with a unit/],
    [['--for', '0'], /Expected --for of more than 0/],
  ])('%j is refused with 2', async (args, message) => {
    const result = await lease(['demo', ...args], inTemporary());
    expect(result.stderr).toMatch(message);
    expect(result.exitCode).toBe(2);
  });

  test('says so when there is no place for its files', async () => {
    const { exitCode, stderr } = await lease(['demo'], { env: { TMPDIR: `${temporary.path}/none` } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('set TMPDIR') });
  });
});

describe('demo on a terminal', () => {
  test('opens watch, in which leases can be changed, and cleans up after q', async () => {
    await using terminal = await startTerminal(['demo'], {
      ...inTemporary(),
      columns: 120,
      rows: 30,
    });
    await terminal.waitForScreen(/WRITE[\s\S]*run-[0-9a-f]{8}/, 20_000);
    terminal.type('q');
    expect(await terminal.end()).toBe(0);
    await expectCleanedUp();
  });
});
