/** Runs the demo on a pseudo-terminal and writes what a person sees there as docs/images/watch.svg. Needs a build. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { isMain } from './is-main.js';
import { terminalSvg } from './terminal-svg.js';

const BIN = fileURLToPath(new URL('../bin/mastra-lease.js', import.meta.url));
const PICTURE = fileURLToPath(new URL('../docs/images/watch.svg', import.meta.url));
const SIZE = { cols: 100, rows: 30 };
/** How long the demo may take until it shows what is wanted, in milliseconds. */
const DEADLINE_MS = 60_000;

/** By which the screen says that a frame is complete. */
const FRAME_END = '\u001b[?2026l';

/** A lease that is late among others that are renewed, and a hand-over in the log. */
export const TELLING = /LATE[\s\S]*▃▃▃▃[\s\S]*transferred/;

/**
 * Runs the demo, which does the same each time, until its screen shows this.
 *
 * @param {RegExp} wanted
 * @returns {Promise<{ svg: string, lines: readonly string[] }>}
 */
export async function takeScreenshot(wanted) {
  const terminal = new headless.Terminal({ ...SIZE, allowProposedApi: true });
  const demo = spawn(process.execPath, [BIN, 'demo', '--seed', '1'], {
    ...SIZE,
    name: 'xterm-256color',
    env: { PATH: process.env.PATH, TMPDIR: '/tmp', COLORTERM: 'truecolor' },
  });
  const ended = new Promise((resolve) => demo.onExit(resolve));
  try {
    return await new Promise((resolve, reject) => {
      const give = () =>
        reject(new Error(`The demo did not show ${wanted}:\n${linesOf(terminal).join('\n')}`));
      const timer = setTimeout(give, DEADLINE_MS);
      demo.onExit(give);
      demo.onData((text) =>
        terminal.write(text, () => {
          const lines = linesOf(terminal);
          if (!text.endsWith(FRAME_END) || !wanted.test(lines.join('\n'))) return;
          clearTimeout(timer);
          resolve({ lines, svg: terminalSvg(terminal, { title: 'mastra-lease watch', description: WORDS }) });
        }),
      );
    });
  } finally {
    // It cleans up after itself.
    demo.write('q');
    await ended;
    terminal.dispose();
  }
}

const WORDS =
  'The screen of watch on the demo: a table of leases with owner, time left, health and renewals, the late one on top, and below it a log of what happened.';

/** @param {headless.Terminal} terminal */
function linesOf({ rows, buffer: { active } }) {
  return Array.from(
    { length: rows },
    (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
  );
}

if (isMain(import.meta.url)) {
  const { svg } = await takeScreenshot(TELLING);
  await writeFile(PICTURE, svg);
}
