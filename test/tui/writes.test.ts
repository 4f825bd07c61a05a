import { describe, expect, test } from 'vitest';
import type { KeyOutcome } from '../../src/operations/outcome.js';
import { keys } from '../support/terminal.js';
import { incident, snapshot, threadEvent, threadLease, up } from './events.js';
import { startScripted } from './scripted-terminal.js';

const OUTCOME = {
  key: 'user-9\0intro',
  atMs: 0,
  notes: [],
  source: { backend: 'redis://h', foundBy: '--backend' },
} as const;
const RELEASED: KeyOutcome = {
  ...OUTCOME,
  verb: 'release',
  status: 'released',
  previousOwner: 'run-0c11b7f2',
};
const MOVED: KeyOutcome = {
  ...OUTCOME,
  verb: 'transfer',
  status: 'transferred',
  previousOwner: 'run-0c11b7f2',
  lease: { key: 'user-9\0intro', owner: 'run-new', remainingMs: 15_000 },
};

async function startWritable(columns = 60, rows = 15) {
  const screen = await startScripted({ columns, rows, isWritable: true });
  screen.tell({ events: incident() });
  await screen.waitForScreen(/intro/);
  return screen;
}

describe.each([
  [60, 15],
  [100, 30],
  [200, 60],
])('at %d × %d', (columns, rows) => {
  test('a release shows what it is, where, and what it can cause, and is sent when the thread is typed', async () => {
    await using screen = await startWritable(columns, rows);
    expect(screen.lines[0]).toMatch(/WRITE $/);
    screen.tell({ outcome: RELEASED });
    screen.type('x');
    await screen.waitForScreen(/RELEASE {2}thread intro · resource user-9/);
    const shown = screen.lines.map((line) => line.trim()).join(' ');
    expect(shown).toMatch(/owner +run-0c11b7f2/);
    expect(shown).toMatch(/on +redis:\/\/10\.0\.0\.5:6379\/0 primary · mastra:topic/);
    expect(shown).toMatch(/if +it is still that owner's, else nothing changes/);
    expect(shown).toMatch(/caution: this stops no run: .* release third\)/);
    screen.type(`intro${keys.enter}`);
    await screen.waitForScreen(/you +released: thread intro/);
    expect(screen.requests).toEqual([
      { verb: 'release', lease: { key: 'user-9\0intro', owner: 'run-0c11b7f2' } },
    ]);
  });

  test('a transfer asks who gets it, shows it all, and is sent when the thread is typed', async () => {
    await using screen = await startWritable(columns, rows);
    screen.tell({ outcome: MOVED });
    screen.type('t');
    await screen.waitForScreen(/to the owner: ▏/);
    screen.type(`run-new${keys.enter}`);
    await screen.waitForScreen(/type intro to confirm: ▏/);
    const shown = screen.lines.map((line) => line.trim()).join(' ');
    expect(shown).toMatch(/from +run-0c11b7f2/);
    expect(shown).toMatch(/to +run-new +for 15\.0 s/);
    expect(shown).toMatch(/caution: this stops no run: .* swallows the messages sent to it/);
    screen.type(`intro${keys.enter}`);
    await screen.waitForScreen(/you +moved: thread intro/);
    expect(screen.requests).toEqual([
      { verb: 'transfer', lease: { key: 'user-9\0intro', owner: 'run-0c11b7f2' }, to: 'run-new' },
    ]);
  });
});

test('what is cancelled, mistyped or not typed at all is not sent', async () => {
  await using screen = await startWritable();
  for (const typed of ['x', `x${keys.enter}`, `xintr${keys.enter}`, 'xintro', 't', `trun-new${keys.enter}`]) {
    screen.type(typed);
    await screen.waitForScreen(/confirm: |to the owner: /);
    screen.type(keys.escape);
    await screen.waitForScreen(/cancelled: nothing was sent/);
  }
  screen.type('q');
  expect(await screen.end()).toBe(0);
  expect(screen.requests).toEqual([]);
});

test('a lease that changes hands meanwhile is told before it is confirmed', async () => {
  await using screen = await startWritable();
  screen.type('x');
  await screen.waitForScreen(/RELEASE/);
  screen.tell({ events: [threadEvent('transferred', 'user-9', 'intro', 'run-9')] });
  await screen.waitForScreen(/but +it is run-9's by now: nothing would change/);
  screen.tell({ events: [threadEvent('released', 'user-9', 'intro', 'run-9')] });
  await screen.waitForScreen(/but +nobody holds it by now/);
});

test('a write that fails says so', async () => {
  await using screen = await startWritable();
  screen.tell({ failure: 'No answer from redis://10.0.0.5:6379/0: it may have happened' });
  screen.type(`xintro${keys.enter}`);
  await screen.waitForScreen(/the release of thread intro · resource user-9 failed: No/);
});

test.each([
  [{ isWritable: false }, /read-only: watch --write can transfer and release/],
  [{ isWritable: true, isReadOnlyContext: true }, /this context is read-only/],
])('with %j nothing can be written', async (settings, reason) => {
  await using screen = await startScripted(settings);
  screen.tell({ events: incident() });
  await screen.waitForScreen(/intro/);
  expect(screen.lines[0]).toMatch(/READ-ONLY $/);
  for (const key of ['x', 't']) {
    screen.type(key);
    await screen.waitForScreen(reason);
    screen.type(`intro${keys.enter}`);
    await screen.waitForScreen(/HISTORY/);
    screen.type(keys.escape);
    await screen.waitForScreen(/OWNER/);
  }
  expect(screen.requests).toEqual([]);
});

test('on a backend of this host yes confirms', async () => {
  const source = { backend: 'sqlite:/var/lib/leases.db', foundBy: 'default', scope: 'host' } as const;
  await using screen = await startScripted({ isWritable: true, source });
  screen.tell({ events: [snapshot([threadLease('u', 'a', 'run-1')]), up()] });
  await screen.waitForScreen(/run-1/);
  screen.tell({ outcome: RELEASED });
  screen.type('x');
  await screen.waitForScreen(/type yes to confirm/);
  screen.type(`yes${keys.enter}`);
  await screen.waitForScreen(/you +released/);
  expect(screen.requests).toHaveLength(1);
});
