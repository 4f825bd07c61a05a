import { readFile } from 'node:fs/promises';
import { waitFor } from '../support/wait-for.js';

/** Whether a process runs; a zombie does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

export function waitForEnd(pid: number, deadlineMs = 10_000): Promise<unknown> {
  return waitFor(async () => !(await isRunning(pid)), { deadlineMs, what: `the end of ${pid}` });
}

/** Ends a process that a test has left on purpose. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}
