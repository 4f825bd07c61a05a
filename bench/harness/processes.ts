import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** The program as it is installed. */
export const BIN = fileURLToPath(new URL('../../bin/mastra-lease.js', import.meta.url));

/** A script of this benchmark, to be run in a process of its own. */
export function child(name: string): string {
  return fileURLToPath(new URL(`../children/${name}`, import.meta.url));
}

interface RunOptions {
  /** All of the environment, besides PATH. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Default 0. Any other is a failure. */
  readonly exitCode?: number;
}

/** Runs a program to its end, and answers the milliseconds and what it printed. */
export function runProcess(
  [program = process.execPath, ...args]: readonly string[],
  { env = {}, cwd, exitCode = 0 }: RunOptions = {},
): { readonly ms: number; readonly stdout: string } {
  const startedMs = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env: { PATH: process.env.PATH, ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 30,
    encoding: 'utf8',
  });
  const ms = performance.now() - startedMs;
  if (error) throw error;
  if (status === exitCode) return { ms, stdout };
  throw new Error(
    `${program} ${args.join(' ')} ended with ${status}\n${stdout.slice(0, 500)}${stderr.slice(0, 2_000)}`,
  );
}

/**
 * Runs a program to its end without keeping this process from what else it does, such as being its proxy, and answers the
 * milliseconds. Nobody reads what it prints; `env` is all of the environment, besides PATH.
 */
export async function runAside(
  [program = process.execPath, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const startedMs = performance.now();
  const running = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const [exitCode] = await once(running, 'close');
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}: ${complaint}`);
  return performance.now() - startedMs;
}
