import {
  InvalidConfigError,
  LeaseError,
  NotPermittedError,
  UnexpectedReplyError,
  UnreachableError,
} from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';

/** What an error of SQLite is about. */
export interface FailureContext {
  readonly path: string;
  readonly access: 'read' | 'write';
  /** How long the failed statement would wait for a lock, in milliseconds. */
  readonly busyTimeoutMs: number;
}

type Meaning = (file: string, detail: string, context: FailureContext) => LeaseError;

/** A read of a WAL database makes its `-shm` file where nobody has it open, so it needs the directory. */
const READONLY_DIRECTORY = 1544;

const isLocked: Meaning = (file, _detail, { busyTimeoutMs }) =>
  new UnreachableError(`${file} was locked by another process for ${busyTimeoutMs} ms; nothing was changed`);
const isUnwritable: Meaning = (file, detail, { access }) =>
  access === 'read'
    ? new NotPermittedError(`${file} was opened for reading only; nothing was changed`)
    : new NotPermittedError(`${file} cannot be written: ${detail}; nothing was changed`, {
        remedy: 'run as the user who owns the file, or name another one',
      });
const hasFailed: Meaning = (file, detail) =>
  new UnreachableError(`${file} failed: ${detail}; nothing was changed`, {
    remedy: 'look at its disk: is there room left, and can it be written?',
  });
const isForeign: Meaning = (file, detail) =>
  new InvalidConfigError(`${file} cannot be used: ${detail}`, { remedy: 'name another file' });

/** By SQLite's primary result codes. */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  3: isUnwritable, // SQLITE_PERM
  5: isLocked, // SQLITE_BUSY
  6: isLocked, // SQLITE_LOCKED
  7: hasFailed, // SQLITE_NOMEM
  8: isUnwritable, // SQLITE_READONLY
  10: hasFailed, // SQLITE_IOERR
  11: isForeign, // SQLITE_CORRUPT
  13: hasFailed, // SQLITE_FULL
  14: hasFailed, // SQLITE_CANTOPEN
  15: hasFailed, // SQLITE_PROTOCOL
  26: isForeign, // SQLITE_NOTADB
};

/** The typed error for whatever a call into `node:sqlite` threw; what is not an error of SQLite comes back as it is. */
export function toLeaseError(error: unknown, context: FailureContext): unknown {
  if (error instanceof LeaseError) return error;
  const code = sqliteCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  const file = escapeText(context.path);
  if (code === READONLY_DIRECTORY) {
    return new NotPermittedError(
      `${file} cannot be opened: nobody has it open and its directory is not writable`,
      {
        remedy: 'run as the user who owns the file, or while a holder has it open',
      },
    );
  }
  const meaning = MEANINGS[code & 0xff];
  return meaning
    ? meaning(file, error.message, context)
    : new UnexpectedReplyError(`${file} answered SQLite error ${code}: ${error.message}`);
}

/** SQLite's extended result code, when it is what `error` carries. */
function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;
}

/** The `code` of an error of the file system, or its message. */
export function errnoOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
