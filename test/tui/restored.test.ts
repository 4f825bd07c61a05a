import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runCli, startCli } from '../support/run-cli.js';
import { makeTempDir } from '../support/temp-dir.js';
import { keys } from '../support/terminal.js';
import { waitFor } from '../support/wait-for.js';
import { incident } from './events.js';
import { type ScriptedTerminal, startScripted } from './scripted-terminal.js';
import { AS_BEFORE, ON_SCREEN, terminalModes } from './terminal-modes.js';

/** Runs the screen in a shell that tells the terminal's settings before and after. */
async function startInShell(): Promise<
  { screen: ScriptedTerminal; sttyFiles: () => Promise<readonly string[]> } & AsyncDisposable
> {
  const folder = await makeTempDir();
  const [before, after] = [join(folder.path, 'before'), join(folder.path, 'after')];
  const script = `stty -g > ${before}; "$@"; code=$?; stty -g > ${after}; echo "shell saw $code"`;
  const screen = await startScripted({ wrap: ['/bin/sh', '-c', script, 'sh'] });
  return {
    screen,
    sttyFiles: () => Promise.all([before, after].map((path) => readFile(path, 'utf8'))),
    async [Symbol.asyncDispose]() {
      await screen[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

const ENDINGS: readonly {
  readonly name: string;
  readonly end: (screen: ScriptedTerminal, pid: number) => void;
  readonly says: readonly string[];
}[] = [
  { name: 'q', end: (screen) => screen.type('q'), says: ['left with 0', 'shell saw 0'] },
  { name: 'Ctrl-C', end: (screen) => screen.type(keys.ctrlC), says: ['left with 130', 'shell saw 130'] },
  {
    name: 'SIGTERM',
    end: (_, pid) => void process.kill(pid, 'SIGTERM'),
    says: ['left with 143', 'shell saw 143'],
  },
  {
    name: 'SIGHUP',
    end: (_, pid) => void process.kill(pid, 'SIGHUP'),
    says: ['left with 129', 'shell saw 129'],
  },
  {
    name: 'SIGINT',
    end: (_, pid) => void process.kill(pid, 'SIGINT'),
    says: ['left with 130', 'shell saw 130'],
  },
  {
    name: 'events that fail',
    end: (screen) => screen.tell({ fail: 'no more' }),
    says: ['failed: no more', 'shell saw 1'],
  },
  {
    name: 'an error that nobody catches',
    end: (screen) => screen.tell({ crash: 'oh no' }),
    says: ['Error: oh no', 'shell saw 1'],
  },
];

const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));
const HOLDER = fileURLToPath(new URL('terminal-holder.js', import.meta.url));

test('a terminal that goes away ends the program, with the code of a hang-up', async () => {
  await using folder = await makeTempDir();
  const exitFile = join(folder.path, 'exit');
  const leases = join(folder.path, 'leases.db');
  await runCli(['acquire', 'deploy', '--owner', 'job-1', '--ttl', '1h', '--backend', `sqlite:${leases}`]);
  const command = [process.execPath, HOLDER, exitFile, process.execPath, BIN] as const;
  await using holder = await startCli(['watch', '--backend', `sqlite:${leases}`], { command });
  await holder.waitForOutput('stdout', /job-1/, 20_000);
  holder.child.kill('SIGKILL');
  await waitFor(() => readFile(exitFile, 'utf8'), { deadlineMs: 15_000, what: 'the exit code' });
  expect(await readFile(exitFile, 'utf8')).toBe('129\n');
});

describe('the terminal is as it was before, and what is said then is on it, after', () => {
  test.each(ENDINGS)('$name', async ({ end, says }) => {
    await using shell = await startInShell();
    const { screen } = shell;
    screen.tell({ events: incident() });
    await screen.waitForScreen(/deploy/);
    expect(terminalModes(screen.raw)).toEqual(ON_SCREEN);
    end(screen, screen.programPid);
    await screen.end();
    expect(terminalModes(screen.raw)).toEqual(AS_BEFORE);
    const left = screen.raw.slice(screen.raw.lastIndexOf('\u001b[?1049l'));
    for (const line of says) {
      expect(left).toContain(line);
      expect(screen.lines.join('\n')).toContain(line);
    }
    expect(screen.lines.join('\n')).not.toContain('deploy');
    const [before, after] = await shell.sttyFiles();
    expect(after).toBe(before);
  });
});
