import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killWithThisProcess } from './orphan-guard.js';
import { makeTempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

/** The real program, as `npx mastra-lease` would start it. */
export const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

interface CliOptions {
  /**
   * What the environment holds besides PATH. Without a HOME here, HOME and XDG_STATE_HOME are a new directory that is
   * removed at the end; `undefined` leaves a variable out.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What stdin holds; without it stdin is empty. It is never a terminal. */
  readonly stdin?: string;
  readonly cwd?: string;
  /** When to kill it and fail, in milliseconds; default 15 s. */
  readonly timeoutMs?: number;
  /** The program and its first arguments; default this Node and the real bin. */
  readonly command?: readonly [string, ...string[]];
}

export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly durationMs: number;
  /** The lines of stdout as JSON objects; throws when one is not. */
  json(): readonly Readonly<Record<string, unknown>>[];
}

interface RunningCli extends AsyncDisposable {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Settles when the process has ended and its output is complete; fails at the timeout. */
  readonly done: Promise<CliResult>;
  /** Waits until the stream matches; fails when the process ends first or at the deadline (default 10 s). */
  waitForOutput(stream: 'stdout' | 'stderr', pattern: RegExp, deadlineMs?: number): Promise<RegExpExecArray>;
}

/** Runs the program to its end, in a bare environment. Any exit code is a result; only a timeout is an error. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  await using running = await startCli(args, { timeoutMs: 15_000, ...options });
  return await running.done;
}

/** Starts the program and leaves it running, with no timeout unless one is given. Disposing kills it. */
export async function startCli(args: readonly string[], options: CliOptions = {}): Promise<RunningCli> {
  const { env = {}, stdin, cwd, timeoutMs, command = [process.execPath, BIN] } = options;
  const home = 'HOME' in env ? undefined : await makeTempDir();
  const [program, ...firstArgs] = command;
  const startedAt = performance.now();
  const child = spawn(program, [...firstArgs, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: {
      PATH: process.env.PATH,
      ...(home ? { HOME: home.path, XDG_STATE_HOME: join(home.path, 'state') } : {}),
      ...env,
    },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  killWithThisProcess(child);
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }

  const ended = new Promise<CliResult>((resolve, reject) => {
    const line = [program, ...firstArgs, ...args].join(' ');
    const kill = () => {
      child.kill('SIGKILL');
      reject(new Error(`${line} ran for more than ${timeoutMs} ms\n${output.stdout}${output.stderr}`));
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(kill, timeoutMs);
    child.once('error', reject);
    child.once('close', (exitCode, signal) => {
      clearTimeout(timer);
      const durationMs = performance.now() - startedAt;
      resolve({ ...output, exitCode, signal, durationMs, json: () => jsonLines(output.stdout) });
    });
  });
  const done = ended.finally(() => home?.remove());
  done.catch(() => {});

  return {
    child,
    output,
    done,
    waitForOutput: (stream, pattern, deadlineMs = 10_000) =>
      waitFor(
        () => {
          const match = pattern.exec(output[stream]);
          if (match || child.exitCode === null) return match;
          throw new Error(`it ended with ${child.exitCode}\n${output.stdout}${output.stderr}`);
        },
        { deadlineMs, what: `${pattern} on ${stream}` },
      ),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await done.catch(() => {});
    },
  };
}

function jsonLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) throw new Error(`Expected a JSON object on each line, got ${line}`);
      return value;
    });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
