import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '../../test/support/wait-for.js';

/** A process that goes on until it is told to end, or is disposed of. */
export interface Running extends AsyncDisposable {
  readonly pid: number;
  /** What it has printed so far. */
  readonly output: () => string;
  /** Waits for something that it prints, and answers how long that took from its start, in milliseconds. */
  printed(pattern: RegExp, deadlineMs?: number): Promise<number>;
  /** Closes its stdin, waits for its end, and answers all that it has printed. */
  finish(): Promise<string>;
}

export function startRunning(
  [program = process.execPath, ...args]: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Running {
  const startedMs = performance.now();
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  let complaint = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    complaint += part;
  });
  const ended = once(child, 'close');
  return {
    pid: child.pid ?? 0,
    output: () => text,
    printed: async (pattern, deadlineMs = 60_000) => {
      await waitFor(
        () => {
          if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${complaint}`);
          return pattern.test(text);
        },
        { deadlineMs, everyMs: 2, what: `${pattern} of ${args.join(' ')}: ${complaint}` },
      );
      return performance.now() - startedMs;
    },
    finish: async () => {
      child.stdin?.end();
      await ended;
      return text;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await ended;
    },
  };
}
