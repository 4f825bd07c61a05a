import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** Opens a file to append to, making one that only its owner may read. A pipe that nobody reads is refused, not waited for. */
export function openForAppending(path: string): number {
  const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
  return openSync(path, O_APPEND | O_CREAT | (O_NONBLOCK ?? 0) | O_WRONLY, 0o600);
}

/** Appends a line whole: it is with the system when this returns. After half a line, left by whoever died, it begins anew. */
export function appendLine(path: string, text: string): void {
  const fd = openForAppending(path);
  try {
    writeLine(fd, endsInHalfALine(path, fd) ? `\n${text}` : text);
  } finally {
    closeSync(fd);
  }
}

/** Writes a line whole. */
export function writeLine(fd: number, text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** What the system calls a failure of a file: `EACCES`, `ENOSPC`. */
export function fileErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'it failed';
}

function endsInHalfALine(path: string, fd: number): boolean {
  const stats = fstatSync(fd);
  if (!stats.isFile() || stats.size === 0) return false;
  const last = Buffer.alloc(1);
  let reading: number | undefined;
  try {
    reading = openSync(path, constants.O_RDONLY);
    readSync(reading, last, 0, 1, stats.size - 1);
    return last.toString() !== '\n';
  } catch {
    // A file that may be written and not read: then nothing is known of its end.
    return false;
  } finally {
    if (reading !== undefined) closeSync(reading);
  }
}
