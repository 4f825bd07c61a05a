import { type ChildProcess, spawn } from 'node:child_process';

/** Waits until its stdin ends, which is when the process that holds the other end is gone, however it went. */
const WATCH =
  'trap "" INT TERM HUP; read _; kill -9 "$1" 2>/dev/null; [ -z "$2" ] || rm -rf -- "$2" || { sleep 1; rm -rf -- "$2"; }';

/**
 * Ties a child to this process: whatever ends this one, SIGKILL too, the child is killed and `directory` removed.
 * Ends by itself when the child does.
 */
export function killWithThisProcess(child: ChildProcess, directory = ''): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  const watcher = spawn('/bin/sh', ['-c', WATCH, 'sh', String(child.pid), directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {});
  watcher.unref();
  child.once('exit', () => watcher.kill('SIGKILL'));
}
