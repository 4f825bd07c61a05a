import { constants, openSync, writeSync } from 'node:fs';

/** Opens a file to append to, making one that only its owner may read. A pipe that nobody reads is refused, not waited for. */
export function openForAppending(path: string): number {
  const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
  return openSync(path, O_APPEND | O_CREAT | (O_NONBLOCK ?? 0) | O_WRONLY, 0o600);
}

/** Writes a line whole: it is with the system when this returns. */
export function appendLine(fd: number, text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** What the system calls a failure of a file: `EACCES`, `ENOSPC`. */
export function fileErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'it failed';
}
