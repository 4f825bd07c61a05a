import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SqliteTask } from './sqlite-task.js';

const CHILD = fileURLToPath(new URL('./sqlite-child.ts', import.meta.url));
/** Node 22.13 strips types only when asked, and warns about it. */
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types', '--no-warnings'];

/** Runs a task to its end; `shell` is a command line that ends by running what it is given. */
export async function runSqliteTask(
  task: SqliteTask,
  { shell }: { readonly shell?: string } = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const node = [process.execPath, ...STRIP_TYPES, CHILD, JSON.stringify(task)];
  const [file, ...args] = shell === undefined ? node : ['/bin/sh', '-c', shell, 'sh', ...node];
  return promisify(execFile)(file ?? '', args);
}

/** Starts a task that waits for a message, and resolves when it does. */
export async function startSqliteTask(task: SqliteTask): Promise<ChildProcess> {
  const child = fork(CHILD, [JSON.stringify(task)], {
    execArgv: STRIP_TYPES,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message !== 'ready') throw new Error(`A child on the lease database ended with ${message}`);
  return child;
}
