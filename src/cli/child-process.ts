import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants, readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandEnd, RunningCommand } from '../operations/exec.js';

/** The signals that are passed on to a command which runs under a lease. */
export const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
export type ForwardedSignal = (typeof FORWARDED)[number];

/** The terminal sends these to everyone on it: passed on as well, they would come twice. */
const SENT_BY_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** A command that could not be started; `exitCode` as shells have it: 127 there is none, 126 it cannot be run. */
export class CommandNotStartedError extends Error {
  readonly exitCode: 126 | 127;

  constructor(command: string, exitCode: 126 | 127, why: string) {
    super(`${command === '' ? "''" : command}: ${why}`);
    this.name = 'CommandNotStartedError';
    this.exitCode = exitCode;
  }
}

/** How a command is started. */
export interface StartOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether it gets a process group of its own, so that all it starts can be reached; not where it needs the terminal. */
  readonly ownGroup: boolean;
}

/** Where the PATH is not set, as `execvp` has it. */
const DEFAULT_PATH = '/bin:/usr/bin';

/**
 * Looks whether a command can be started, as a shell would find it.
 *
 * @throws {@link CommandNotStartedError}
 */
export async function assertStartable(
  command: string,
  { env, cwd }: Pick<StartOptions, 'env' | 'cwd'>,
): Promise<void> {
  const places = command.includes('/')
    ? [resolve(cwd, command)]
    : (env.PATH ?? DEFAULT_PATH).split(delimiter).map((folder) => join(resolve(cwd, folder), command));
  let isThere = false;
  for (const place of command === '' ? [] : places) {
    const found = await lookAt(place);
    if (found === 'executable') return;
    isThere ||= found === 'there';
  }
  throw isThere
    ? new CommandNotStartedError(command, 126, 'it is not executable')
    : new CommandNotStartedError(command, 127, 'no such command');
}

async function lookAt(place: string): Promise<'executable' | 'there' | 'missing'> {
  try {
    if ((await stat(place)).isDirectory()) return 'there';
  } catch (error) {
    return codeOf(error) === 'EACCES' ? 'there' : 'missing';
  }
  return access(place, constants.X_OK).then(
    () => 'executable',
    () => 'there',
  );
}

/**
 * Starts a command with our stdin, stdout and stderr; no shell.
 *
 * @throws {@link CommandNotStartedError}
 */
export function startCommand(
  [command, ...args]: readonly [string, ...string[]],
  { env, cwd, ownGroup }: StartOptions,
): Promise<RunningCommand> {
  const child = spawn(command, args, { env, cwd, stdio: 'inherit', detached: ownGroup });
  return new Promise((started, failed) => {
    child.once('spawn', () => started(ownGroup ? new CommandGroup(child) : new SingleCommand(child)));
    child.once('error', (error) => failed(notStarted(command, error)));
  });
}

function notStarted(command: string, error: Error): CommandNotStartedError {
  // The command was there a moment ago: then it is what interprets it that is not.
  return codeOf(error) === 'ENOENT'
    ? new CommandNotStartedError(command, 127, 'it, or what interprets it, does not exist')
    : new CommandNotStartedError(command, 126, `it cannot be run (${codeOf(error) ?? error.message})`);
}

/** A command on our terminal, in our process group. What it starts is not followed. */
class SingleCommand implements RunningCommand {
  readonly ended: Promise<CommandEnd>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.ended = endOf(child);
  }

  async gone(): Promise<void> {
    await this.ended;
  }

  send(signal: NodeJS.Signals): void {
    if (!SENT_BY_TERMINAL.includes(signal)) this.#child.kill(signal);
  }
}

/** How often it is looked whether a group is gone, in milliseconds: more seldom the longer it stays. */
const LOOK_MS = { first: 5, last: 250, growth: 1.5 } as const;

/** A command with everything it starts, as far as that stays in its process group. */
class CommandGroup implements RunningCommand {
  readonly ended: Promise<CommandEnd>;
  readonly #groupId: number;
  #gone: Promise<void> | undefined;
  #isGone = false;

  constructor(child: ChildProcess) {
    if (child.pid === undefined) throw new Error('A process that was started has an id');
    this.#groupId = child.pid;
    this.ended = endOf(child);
  }

  gone(): Promise<void> {
    this.#gone ??= this.#waitUntilGone();
    return this.#gone;
  }

  send(signal: NodeJS.Signals): void {
    // The number may be another group's once this one is gone.
    if (!this.#isGone) signalGroup(this.#groupId, signal);
  }

  async #waitUntilGone(): Promise<void> {
    await this.ended;
    let lookMs: number = LOOK_MS.first;
    while (await isGroupAlive(this.#groupId)) {
      await sleep(lookMs);
      lookMs = Math.min(LOOK_MS.last, lookMs * LOOK_MS.growth);
    }
    this.#isGone = true;
  }
}

function endOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal === null ? { code: code ?? 0 } : { signal });
    });
  });
}

/** Whether it reached anyone who may be signalled. */
function signalGroup(groupId: number, signal: NodeJS.Signals | 0): 'reached' | 'none' | 'refused' {
  try {
    process.kill(-groupId, signal);
    return 'reached';
  } catch (error) {
    return codeOf(error) === 'ESRCH' ? 'none' : 'refused';
  }
}

/** Whether a process of the group still runs. A zombie does not: where nobody collects them they stay for ever. */
async function isGroupAlive(groupId: number): Promise<boolean> {
  if (signalGroup(groupId, 0) === 'none') return false;
  const states = (await statesByProc(groupId)) ?? (await statesByPs(groupId));
  // Where nothing can tell the zombies, what can be signalled counts.
  return states?.some((state) => !/^[ZX]/.test(state)) ?? true;
}

/** The states of a group's processes, where the system shows them as files. */
async function statesByProc(groupId: number): Promise<readonly string[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const entries = await readdir('/proc').catch(() => []);
  const ids = entries.filter((entry) => /^\d+$/.test(entry));
  if (ids.length === 0) return undefined;
  const stats = await Promise.all(ids.map((id) => readStat(id)));
  return stats.flatMap((found) => (found?.groupId === groupId ? [found.state] : []));
}

async function statesByPs(groupId: number): Promise<readonly string[] | undefined> {
  const ps = spawn('ps', ['-A', '-o', 'pgid=,stat='], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  ps.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const code = await new Promise((resolve) => ps.once('close', resolve).once('error', resolve));
  if (code !== 0) return undefined;
  return text.split('\n').flatMap((line) => {
    const [group, state] = line.trim().split(/\s+/);
    return Number(group) === groupId && state !== undefined ? [state] : [];
  });
}

interface ProcessStat {
  readonly name: string;
  readonly state: string;
  readonly parentId: number;
  readonly groupId: number;
}

/** Linux: `pid (name) state ppid pgrp …`; the name may hold anything, parentheses too. */
async function readStat(id: number | string): Promise<ProcessStat | undefined> {
  const text = await readFile(`/proc/${id}/stat`, 'latin1').catch(() => '');
  const end = text.lastIndexOf(')');
  const [state, parentId, groupId] = text.slice(end + 2).split(' ');
  if (end < 0 || state === undefined) return undefined;
  const name = text.slice(text.indexOf('(') + 1, end);
  return { name, state, parentId: Number(parentId), groupId: Number(groupId) };
}

/**
 * Listens to the signals that are passed on, until the process ends: none of them ends it by itself any more, and one that
 * comes in the last moment does not change the exit code.
 */
export function listenToSignals(onSignal: (signal: ForwardedSignal) => void): void {
  for (const signal of FORWARDED) process.on(signal, () => onSignal(signal));
}

const PARENT_LOOK_MS = 500;
/** What npx may have put between itself and us. */
const SHELLS = /^(sh|dash|bash|ash|busybox|zsh|ksh)$/;

/**
 * Calls back once when the parent is gone. npx does not pass SIGTERM on: its end is all that is seen of it, and where it
 * started a shell to start us, the end of that shell's parent.
 */
export async function watchParent(onGone: () => void): Promise<{ stop(): void }> {
  const parentId = process.ppid;
  const parent = await readStat(parentId);
  const grandparentId = parent && SHELLS.test(parent.name) ? parent.parentId : undefined;
  const look = async () => {
    const isGone =
      process.ppid !== parentId ||
      (grandparentId !== undefined && (await readStat(parentId))?.parentId !== grandparentId);
    if (!isGone) return;
    clearInterval(timer);
    onGone();
  };
  const timer = setInterval(() => void look(), PARENT_LOOK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
