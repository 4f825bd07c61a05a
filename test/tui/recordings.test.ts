import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempDir } from '../support/temp-dir.js';
import { startTerminal } from '../support/terminal.js';

const AT = '2026-11-29T02:14:0';
const SOURCE = {
  backend: 'redis://10.0.0.5:6379/0',
  keyPrefix: 'mastra:topic',
  foundBy: '--backend',
  role: 'primary',
};
const lease = { key: 'user-9\\0intro', kind: 'thread', resource: 'user-9', thread: 'intro' };
const event = (second: number, fields: object) =>
  JSON.stringify({ schema: 'mastra-lease/event@1', at: `${AT}${second}.000Z`, ...fields });
const LINES = [
  JSON.stringify({
    schema: 'mastra-lease/recording@1',
    version: '0.1.0',
    startedAt: `${AT}0.000Z`,
    source: SOURCE,
  }),
  event(0, {
    type: 'snapshot',
    part: 1,
    parts: 1,
    total: 1,
    leases: [{ ...lease, owner: 'run-1', remainingMs: 15_000, health: 'ok' }],
    source: SOURCE,
  }),
  event(0, { type: 'backend-up', how: 'pushed', commandsPerSecond: 0.6, source: SOURCE }),
  event(3, { type: 'transferred', ...lease, owner: 'run-2', previousOwner: 'run-1', remainingMs: 15_000 }),
  event(5, { type: 'released', ...lease, owner: 'run-2', inferred: ['type'] }),
];

/** The real `watch --replay` of a file with this text. */
async function replayed(text: string) {
  const folder = await makeTempDir();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'incident.ndjson');
  await writeFile(file, text);
  return startTerminal(['watch', '--replay', file, '--speed', '2'], { columns: 100, rows: 30 });
}

test('a recording is stepped through, forth and back, played to its end, and left with 0', async () => {
  await using screen = await replayed(`${LINES.join('\n')}\n`);
  await screen.waitForScreen(/STANDING event 1 of 4 · 02:14:00\.000Z/, 20_000);
  expect(screen.lines[0]).toMatch(/redis:\/\/10\.0\.0\.5:6379\/0 primary.*RECORDING $/);
  expect(screen.lines.join('\n')).toMatch(/user-9 +intro +run-1/);
  screen.type('\u001b[C\u001b[C');
  await screen.waitForScreen(
    /event 3 of 4[\s\S]*intro +run-2[\s\S]*transferred +user-9 \/ intro +run-1 → run-2/,
  );
  screen.type('\u001b[D\u001b[D');
  await screen.waitForScreen(/event 1 of 4[\s\S]*intro +run-1/);
  screen.type(' ');
  await screen.waitForScreen(/PLAYING ×2/);
  await screen.waitForScreen(/END event 4 of 4[\s\S]*released +user-9 \/ intro/);
  screen.type('q');
  expect(await screen.end()).toBe(0);
});

test('one that was cut off is shown up to the bad line, which is named there and at the end, with 2', async () => {
  await using screen = await replayed(LINES.join('\n').slice(0, -20));
  await screen.waitForScreen(
    /event 1 of 3 · 02:14:00\.000Z · incident\.ndjson, line 5: expected a JSON object/,
    20_000,
  );
  screen.type('\u001b[C\u001b[C\u001b[C');
  await screen.waitForScreen(/event 3 of 3[\s\S]*run-1 → run-2/);
  screen.type('q');
  expect(await screen.end()).toBe(2);
  expect(screen.lines.join('')).toMatch(/error .*incident\.ndjson, line 5: expected a JSON object/);
});

test('another program’s file opens no screen and ends with 2', async () => {
  await using screen = await replayed('%PDF-1.7\n');
  expect(await screen.end()).toBe(2);
  expect(screen.raw).not.toContain('\u001b[?1049h');
  expect(screen.lines.join('')).toMatch(/error .*incident\.ndjson, line 1: expected/);
});
