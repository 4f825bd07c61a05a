import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How many characters a match of what is waited for has at most. */
const LONGEST_MATCH = 200;

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
  // Only what is new is looked at: to search all of it again and again would be most of what the machine does.
  let recent = '';
  let onPart = (_recent: string): void => {};
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    onPart(recent + part);
    recent = (recent + part).slice(-LONGEST_MATCH);
  });
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    complaint += part;
  });
  const ended = once(child, 'close');
  return {
    pid: child.pid ?? 0,
    output: () => text,
    printed: (pattern, deadlineMs = 60_000) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) =>
          reject(new Error(`${pattern} of ${args.join(' ')}: ${why}: ${complaint}`));
        const timer = setTimeout(fail, deadlineMs, `not within ${deadlineMs} ms`);
        const look = (part: string) => {
          if (!pattern.test(part)) return;
          clearTimeout(timer);
          resolve(performance.now() - startedMs);
        };
        onPart = look;
        look(text);
        ended.then(() => fail(`it ended with ${child.exitCode}`), reject);
      }),
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
