import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { keys } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { incident, lease, snapshot, threadEvent, threadLease, up } from './events.js';
import { type ScriptedTerminal, startScripted } from './scripted-terminal.js';

const ESC = '\u001b';

const SIZES = [
  { columns: 60, rows: 15 },
  { columns: 100, rows: 30 },
  { columns: 200, rows: 60 },
] as const;

/** The lines of the table, from the head of its columns to the rule below. */
function table({ lines }: ScriptedTerminal): readonly string[] {
  const head = lines.findIndex((line) => line.includes('HEALTH'));
  const rule = lines.findIndex((line) => line.includes('────'));
  return lines.slice(head + 1, rule < 0 ? lines.length - 1 : rule).filter((line) => line.trim() !== '');
}

/** Each line is within the terminal, the last one is free, and the first is the header. */
function expectFrame(
  { lines }: ScriptedTerminal,
  { columns, rows }: { columns: number; rows: number },
): void {
  expect(lines.length).toBeLessThanOrEqual(rows - 1);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  expect(lines[0]).toContain('redis://10.0.0.5:6379/0');
}

describe.each(SIZES)('at $columns × $rows', (size) => {
  test('the problem stands on top, with where, how many, how fresh and whether it can be changed', async () => {
    await using screen = await startScripted(size);
    screen.tell({ events: incident() });
    await screen.waitForScreen(/deploy/);
    expectFrame(screen, size);
    expect(screen.lines[0]).toMatch(/redis:\/\/10\.0\.0\.5:6379\/0 primary.* READ-ONLY $/);
    expect(screen.lines[1]).toMatch(/^ 4 leases · 1 late · 1 without expiry +pushed · \d\d:\d\d:\d\dZ$/);
    const rows = table(screen);
    expect(rows[0]).toMatch(/^ ▸ .*user-9 +intro +run-0c11b7f2 +∞ .*FOREVER/);
    expect(rows[1]).toMatch(/user-7 +billing +run-91aa02de +\d s .*LATE/);
    expect(rows.map((row) => /deploy|t-1/.exec(row)?.[0])).toEqual([undefined, undefined, 'deploy', 't-1']);
    expect(screen.lines.at(-1)).toMatch(/^ \? help {2}.*q quit$/);
    expect(screen.lines.join('\n')).toMatch(/connected +pushed, 0\.4 commands\/s/);
  });

  test('filter, sort, details and help answer to their keys, and escape comes back', async () => {
    await using screen = await startScripted(size);
    screen.tell({ events: incident() });
    await screen.waitForScreen(/deploy/);
    screen.type('/owner:run-7');
    await screen.waitForScreen(/\/ owner:run-7▏ +1 of 4/);
    expect(table(screen)).toHaveLength(1);
    screen.type(keys.enter);
    await screen.waitForScreen(/filter: owner:run-7 · 1 of 4/);
    screen.type(keys.escape);
    await screen.waitForScreen(/deploy/);
    screen.type('ssssS');
    await screen.waitForScreen(/OWNER▴/);
    expect(table(screen).map((row) => /run-\w+|job-1/.exec(row)?.[0])).toEqual([
      'run-91aa02de',
      'run-7f3c2a10',
      'run-0c11b7f2',
      'job-1',
    ]);
    screen.type(`G${keys.enter}`);
    await screen.waitForScreen(/key deploy\n.*owner +job-1/s);
    expectFrame(screen, size);
    screen.type('?');
    await screen.waitForScreen(/this help, and back/);
    expectFrame(screen, size);
    for (const words of ['one up, one down', 'export to a file', 'quit; at once', 'health:'])
      expect(screen.lines.join('\n')).toContain(words);
    screen.type(`?${keys.escape}`);
    await screen.waitForScreen(/OWNER▴/);
  });

  test('ids from outside cannot move, hide or widen anything', async () => {
    await using screen = await startScripted(size);
    const hostile = [
      threadLease('\u001b[2J\u001b[H', 'clears', '\u001b]0;title\u0007'),
      threadLease('up\u001b[9A', 'line\nfeed\r', 'tab\tbell\u0007'),
      threadLease('会議室', '予約のスレッド'.repeat(20), '担当者'.repeat(20)),
      threadLease(
        'rtl \u202eabc',
        'joined \u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
        '\u{1f1e9}\u{1f1ea}'.repeat(30),
      ),
      threadLease('marks', `z${'\u0301\u0489'.repeat(200)}`, 'a'.repeat(100_000)),
      lease('\ufffd', 'bytes', { keyHex: 'ff00fe' }),
    ];
    screen.tell({ events: [snapshot(hostile), up()] });
    await screen.waitForScreen(/connected/);
    expectFrame(screen, size);
    screen.type('G');
    await screen.waitForScreen(/hex:ff00fe/);
    screen.tell({
      events: [threadEvent('transferred', '\u001b[2J', '\u0007', 'x\u001b[31m', { previousOwner: '\n' })],
    });
    await screen.waitForScreen(/transferred/);
    expectFrame(screen, size);
    expect(table(screen).length).toBeGreaterThanOrEqual(5);
    const text = screen.lines.join('\n');
    expect(text).toContain('\\x1b[2J');
    expect(text).toContain('会');
    expect(screen.lines.at(-1)).toMatch(/^ \? help/);
    // A row that the terminal draws wider than it was measured is cut, not carried into the next line.
    expect(screen.raw).toContain('\u001b[?7l');
    screen.type(keys.enter);
    await screen.waitForScreen(/HISTORY/);
    expectFrame(screen, size);
  });
});

test('a character that a terminal draws at another width than was measured makes no wrong number', async () => {
  await using screen = await startScripted();
  const flags = '\u{1f1e9}\u{1f1ea}'.repeat(9);
  const leases = ['हिन्दी', flags, 'สำนักงาน', 'plain'].map((owner, index) =>
    threadLease('u', `t-${index}`, owner, { remainingMs: 9_900 }),
  );
  screen.tell({ events: [snapshot(leases), up()] });
  for (const seconds of [9, 8, 7]) {
    const left = new RegExp(`^ [ ▸].*t-\\d.* ${seconds} s +█`);
    await waitFor(() => table(screen).filter((row) => left.test(row)).length === 4, {
      what: `${seconds} seconds left of each of the four`,
    });
  }
});

test.each([
  [20, 5, 'too small: need 40×8'],
  [10, 2, 'too small'],
  [39, 24, 'too small: needs 40×8, this is 39×24'],
])(
  'a terminal of %d×%d is one line that says that it is too small, and is left by q',
  async (columns, rows, line) => {
    await using screen = await startScripted({ columns, rows });
    screen.tell({ events: incident() });
    expect(screen.lines).toEqual([line]);
    screen.type('q');
    expect(await screen.end()).toBe(0);
  },
);

test('a terminal that is resized is drawn anew at each size, and nothing of the old frame is left', async () => {
  await using screen = await startScripted({ columns: 100, rows: 30 });
  screen.tell({ events: incident() });
  await screen.waitForScreen(/deploy/);
  for (const size of [
    ...SIZES,
    { columns: 61, rows: 40 },
    { columns: 180, rows: 12 },
    ...SIZES.toReversed(),
  ]) {
    screen.resize(size.columns, size.rows);
    await waitFor(
      () => {
        expectFrame(screen, size);
        expect(screen.lines).toHaveLength(size.rows - 1);
        expect(screen.lines.filter((line) => line.includes('OWNER'))).toHaveLength(1);
        expect(screen.lines.filter((line) => line.includes('? help'))).toHaveLength(1);
        expect(screen.lines[0]?.endsWith(' READ-ONLY ')).toBe(true);
        expect(stringWidth(screen.lines[0] ?? '')).toBe(size.columns);
        return true;
      },
      { what: `a frame of ${size.columns}×${size.rows}` },
    );
  }
  screen.resize(20, 5);
  await waitFor(() => screen.lines.join() === 'too small: need 40×8', { what: 'one line' });
  screen.resize(60, 15);
  await screen.waitForScreen(/deploy/);
});

test('the time left goes down between changes, and pausing stops it', async () => {
  await using screen = await startScripted();
  screen.tell({ events: incident() });
  const left = () => Number(/run-7f3c2a10 +([\d.]+) s/.exec(screen.lines.join('\n'))?.[1]);
  await waitFor(() => left() < 12.4 && left() > 0, { what: 'a countdown' });
  const before = left();
  await waitFor(() => left() < before, { what: 'a countdown that goes on' });
  screen.type(' ');
  await screen.waitForScreen(/PAUSED/);
  const paused = left();
  screen.tell({ events: [threadEvent('released', 'user-9', 'intro', 'run-0c11b7f2')] });
  await screen.waitForScreen(/PAUSED [1-9] s, 1 events since/);
  expect(left()).toBe(paused);
  expect(screen.lines.join('\n')).toContain('intro');
  screen.type(' ');
  await waitFor(() => !screen.lines.join('\n').includes('FOREVER'), { what: 'the row to go' });
  expect(screen.lines.join('\n')).toMatch(/released +user-9 \/ intro/);
});

test('a backend that is lost is stale, since when and why, and what was known stays; then it is fresh again', async () => {
  await using screen = await startScripted();
  screen.tell({ events: incident() });
  await screen.waitForScreen(/deploy/);
  const reason = 'connect ECONNREFUSED 10.0.0.5:6379';
  screen.tell({ events: [{ type: 'backend-down', atMs: Date.now() - 14_000, reason }] });
  await screen.waitForScreen(/STALE 1\d s: connect ECONNREFUSED 10\.0\.0\.5:6379/);
  expect(table(screen)).toHaveLength(4);
  screen.tell({ events: incident() });
  await screen.waitForScreen(/ {2}pushed · /);
  expect(screen.lines.join('\n')).not.toContain('STALE');
});

test('colour is only for what a word says too, and NO_COLOR leaves it out', async () => {
  await using coloured = await startScripted();
  coloured.tell({ events: incident() });
  await coloured.waitForScreen(/LATE/);
  expect(coloured.raw).toMatch(new RegExp(`${ESC}\\[3[0-7]m`));
  await using plain = await startScripted({ env: { NO_COLOR: '1' } });
  plain.tell({ events: incident() });
  await plain.waitForScreen(/FOREVER/);
  await plain.waitForScreen(/LATE/);
  expect(plain.raw).not.toMatch(new RegExp(`${ESC}\\[[\\d;]+m`));
});

test('it is a screen under CI too', async () => {
  await using screen = await startScripted({ env: { CI: 'true' } });
  screen.tell({ events: incident() });
  await screen.waitForScreen(/deploy/);
  screen.type('q');
  expect(await screen.end()).toBe(0);
});

test('what other code prints goes to the log, not into the screen', async () => {
  await using screen = await startScripted();
  screen.tell({ events: incident() });
  await screen.waitForScreen(/deploy/);
  screen.tell({ print: 'a warning \u001b[2Jof a module\n' });
  await screen.waitForScreen(/stderr +a warning \\x1b\[2Jof a module/);
  expect(screen.lines[0]).toContain('mastra-lease');
});

test('e writes the view, c copies the key by OSC 52', async () => {
  await using screen = await startScripted();
  screen.tell({ events: incident() });
  await screen.waitForScreen(/deploy/);
  screen.type('c');
  await screen.waitForScreen(/sent to the clipboard/);
  const copied = Buffer.from('user-9\\0intro').toString('base64');
  expect(screen.raw).toContain(`\u001b]52;c;${copied}\u0007`);
  screen.type('e');
  await screen.waitForScreen(/export to the file mastra-lease-\d{8}T\d{6}Z\.txt▏/);
  screen.type(`\u0015view.txt${keys.enter}`);
  await screen.waitForScreen(/exported +view\.txt/);
  expect(screen.requests).toMatchObject([{ path: 'view.txt' }]);
});

test('a paste is text where something is typed, and presses no keys elsewhere', async () => {
  await using screen = await startScripted({ isWritable: true });
  screen.tell({ events: incident() });
  await screen.waitForScreen(/deploy/);
  const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;
  screen.type(pasted('xintro\rq'));
  screen.type('/');
  await screen.waitForScreen(/\/ ▏/);
  screen.type(pasted('run-7\r\n'));
  await screen.waitForScreen(/\/ run-7▏/);
  expect(screen.requests).toEqual([]);
});

describe('a paste that never ends', () => {
  /** A key that comes together with what was typed before it is a part of the paste: it is pressed again. */
  function pressUntilLeft(screen: ScriptedTerminal, key: string, everyMs: number): Promise<unknown> {
    const press = () => screen.lines.some((line) => line.startsWith('left with')) || screen.type(key);
    return waitFor(press, { everyMs, deadlineMs: 15_000, what: `the end by ${JSON.stringify(key)}` });
  }

  test.each([
    ['Ctrl-C at once', keys.ctrlC, 100, 130],
    ['q after a while', 'q', 1_500, 0],
  ])('is over at %s, and has pressed no keys', async (_, key, everyMs, exitCode) => {
    await using screen = await startScripted({ isWritable: true });
    screen.tell({ events: incident() });
    await screen.waitForScreen(/deploy/);
    // A mark may come in two pieces.
    screen.type(`${ESC}[20`);
    screen.type('0~xintro\rq');
    await pressUntilLeft(screen, key, everyMs);
    expect(await screen.end()).toBe(exitCode);
    expect(screen.requests).toEqual([]);
  });

  test('is text where something is typed', async () => {
    await using screen = await startScripted();
    screen.tell({ events: incident() });
    await screen.waitForScreen(/deploy/);
    screen.type(`/${ESC}[200~run-7`);
    await screen.waitForScreen(/\/ run-7▏/);
    screen.type(keys.enter);
    await screen.waitForScreen(/filter: run-7/);
    screen.type('q');
    expect(await screen.end()).toBe(0);
  });
});

test('a recording is played and stepped through, with where it stands', async () => {
  const atMs = Date.UTC(2026, 10, 29, 2, 14, 0);
  const events = [
    ...incident(atMs),
    threadEvent('transferred', 'user-7', 'billing', 'run-9', {
      atMs: atMs + 2_000,
      previousOwner: 'run-91aa02de',
    }),
    threadEvent('expired', 'user-9', 'intro', 'run-0c11b7f2', { atMs: atMs + 9_000 }),
  ];
  await using screen = await startScripted({
    isWritable: true,
    replay: { events, speed: 1, problem: 'incident.ndjson, line 5: expected a JSON object, whole' },
  });
  await screen.waitForScreen(/STANDING event 1 of 4 · 02:14:00\.000Z · incident\.ndjson, line 5/);
  expect(screen.lines[0]).toMatch(/RECORDING $/);
  screen.type('\u001b[C\u001b[C');
  await screen.waitForScreen(/event 3 of 4 · 02:14:02\.000Z/);
  await screen.waitForScreen(/transferred +user-7 \/ billing +run-91aa02de → run-9/);
  screen.type('\u001b[D');
  await screen.waitForScreen(/event 2 of 4/);
  expect(screen.lines.join('\n')).not.toContain('transferred');
  screen.type(' ');
  await screen.waitForScreen(/PLAYING ×1 event 3 of 4/);
  screen.type('x');
  screen.type('\u001b[C');
  await screen.waitForScreen(/END event 4 of 4 · 02:14:09\.000Z/);
  expect(screen.requests).toEqual([]);
});
