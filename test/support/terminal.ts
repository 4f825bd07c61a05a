import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { makeTempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

/** The real program, as `npx mastra-lease` would start it. */
const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

const END_DEADLINE_MS = 15_000;

interface TerminalOptions {
  /** What the environment holds besides PATH, HOME and TERM; HOME is a new directory that is removed at the end. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default 80. */
  readonly columns?: number;
  /** Default 24. */
  readonly rows?: number;
  /** The program and its first arguments; default this Node and the real bin. */
  readonly command?: readonly [string, ...string[]];
  /** Default: the new HOME. */
  readonly cwd?: string;
}

/** A key as a terminal sends it. */
export const keys = { enter: '\r', ctrlC: '\x03', escape: '\x1b' } as const;

/** The program on a pseudo-terminal, and what a person would see there. */
export interface TerminalRun extends AsyncDisposable {
  readonly pid: number;
  /** Every byte that it wrote, escape sequences and all. */
  readonly raw: string;
  /** The lines on the screen and those scrolled off it, without trailing spaces and empty lines at the end. */
  readonly lines: readonly string[];
  /** The same, with what was broken at the edge of the terminal put together again. */
  readonly wholeLines: readonly string[];
  /** Types; use {@link keys} for keys that are no text. */
  type(text: string): void;
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void;
  /** Waits until what is on the screen matches; fails when the program ends without. */
  waitForScreen(pattern: RegExp, deadlineMs?: number): Promise<RegExpExecArray>;
  /** Waits for the end and gives the exit code; 128 and its number for a signal, as a shell does. */
  end(): Promise<number>;
}

/** Runs the program on a pseudo-terminal of its own: stdin, stdout and stderr are all that terminal. */
export async function startTerminal(
  args: readonly string[],
  { env = {}, columns = 80, rows = 24, command = [process.execPath, BIN], cwd }: TerminalOptions = {},
): Promise<TerminalRun> {
  const home = await makeTempDir();
  const screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 100_000 });
  const [program, ...firstArgs] = command;
  const pty: IPty = spawn(program, [...firstArgs, ...args], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: cwd ?? home.path,
    env: { PATH: process.env.PATH, HOME: home.path, ...env },
  });
  let raw = '';
  let exitCode: number | undefined;
  let pendingWrites = 0;
  pty.onData((text) => {
    raw += text;
    pendingWrites += 1;
    screen.write(text, () => {
      pendingWrites -= 1;
    });
  });
  pty.onExit((exit) => {
    exitCode = exit.signal ? 128 + exit.signal : exit.exitCode;
  });

  const lines = (): readonly string[] => {
    const { active } = screen.buffer;
    const all = Array.from(
      { length: active.length },
      // A line that was longer keeps what is out of sight now.
      (_, y) => active.getLine(y)?.translateToString(true, 0, screen.cols) ?? '',
    );
    return all.slice(0, all.findLastIndex((line) => line !== '') + 1);
  };
  const hasEnded = () => exitCode !== undefined && pendingWrites === 0;

  return {
    pid: pty.pid,
    get raw() {
      return raw;
    },
    get lines() {
      return lines();
    },
    get wholeLines() {
      const { active } = screen.buffer;
      return lines().reduce<string[]>((whole, line, y) => {
        if (active.getLine(y)?.isWrapped) whole.push(`${whole.pop() ?? ''}${line}`);
        else whole.push(line);
        return whole;
      }, []);
    },
    type: (text) => pty.write(text),
    resize: (columns, rows) => {
      screen.resize(columns, rows);
      pty.resize(columns, rows);
    },
    waitForScreen: async (pattern, deadlineMs = 10_000) => {
      const match = await waitFor(() => pattern.exec(lines().join('\n')) ?? (hasEnded() && 'ended'), {
        deadlineMs,
        what: `${pattern} on the terminal`,
      });
      if (match === 'ended')
        throw new Error(`It ended with ${exitCode} without ${pattern}:\n${lines().join('\n')}`);
      return match;
    },
    end: async () => {
      await waitFor(hasEnded, {
        deadlineMs: END_DEADLINE_MS,
        what: `the end of the program:\n${lines().join('\n')}`,
      });
      return exitCode ?? Number.NaN;
    },
    async [Symbol.asyncDispose]() {
      if (exitCode === undefined) {
        pty.kill('SIGKILL');
        await waitFor(() => exitCode !== undefined, { what: 'the killed program' });
      }
      screen.dispose();
      await home.remove();
    },
  };
}
