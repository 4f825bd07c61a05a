import {
  accessSync,
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { InvalidConfigError, NotPermittedError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import { errnoOf } from './errors.js';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const EVERYBODY_WRITES = 0o002;
const STICKY = 0o1000;

/**
 * Makes sure that `path` can be opened for reading, and creates nothing.
 *
 * The file is never opened here: closing it would drop the locks that SQLite holds on it elsewhere in this process.
 */
export function requireFile(path: string): void {
  const stats = lookUp(path);
  if (stats) assertNotShared(dirname(path));
  if (!stats) {
    throw new InvalidConfigError(`Found no lease database at ${escapeText(path)}`, {
      remedy: 'acquire a lease there first, or name another backend',
    });
  }
  if (!stats.isFile()) throw notAFile(path);
  if (stats.size === 0n) {
    throw new InvalidConfigError(`Expected a lease database at ${escapeText(path)}, got an empty file`, {
      remedy: 'acquire a lease there first, or name another backend',
    });
  }
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new NotPermittedError(`${escapeText(path)} cannot be read (${errnoOf(error)})`, {
      remedy: 'run as the user who owns the file, or name another one',
    });
  }
}

/** Makes sure that `path` is a file for SQLite to write to: its directories 0700 and the file 0600 where they are new. */
export function prepareFile(path: string): void {
  makePrivateDirectories(dirname(path));
  assertNotShared(dirname(path));
  makePrivateFile(path);
  // A link to nowhere: SQLite would follow it, and create the file with a mode of its own.
  if (!lookUp(path)?.isFile()) throw notAFile(path);
}

/** Where anybody may put another file in the place of this one, a lease in it proves nothing. */
function assertNotShared(directory: string): void {
  const { mode } = statSync(directory);
  const isShared = process.platform !== 'win32' && (mode & EVERYBODY_WRITES) !== 0 && (mode & STICKY) === 0;
  if (!isShared) return;
  throw new InvalidConfigError(
    `Expected a directory where only owners can replace files at ${escapeText(directory)}, got one that everybody can write to`,
    { remedy: 'take that right away (chmod o-w), or make one below it for the file' },
  );
}

/** Tells one file at a path from the next; `undefined` where there is none. */
export function fileIdentity(path: string): string | undefined {
  const stats = lookUp(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

function lookUp(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw new NotPermittedError(`${escapeText(path)} cannot be looked up (${errnoOf(error)})`);
  }
}

function makePrivateDirectories(directory: string): void {
  try {
    const missing: string[] = [];
    for (let at = directory; !statSync(at, { throwIfNoEntry: false }); at = dirname(at)) missing.unshift(at);
    for (const at of missing) makePrivateDirectory(at);
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new InvalidConfigError(
      `Expected a directory to write to at ${escapeText(directory)}, got ${errnoOf(error)}`,
      { remedy: 'name a file elsewhere (sqlite:PATH), or make the directory writable' },
    );
  }
}

function makePrivateDirectory(at: string): void {
  try {
    mkdirSync(at, { mode: DIRECTORY_MODE });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    throw error;
  }
  grantOwner(at, DIRECTORY_MODE);
}

function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    throw new InvalidConfigError(`Expected to create ${escapeText(path)}, got ${errnoOf(error)}`, {
      remedy: 'name a file elsewhere (sqlite:PATH), or make the directory writable',
    });
  }
  grantOwner(path, FILE_MODE);
}

/** Gives the owner back what an unusual umask took away. */
function grantOwner(path: string, mode: number): void {
  if ((statSync(path).mode & mode) !== mode) chmodSync(path, mode);
}

function notAFile(path: string): InvalidConfigError {
  return new InvalidConfigError(
    `Expected a lease database at ${escapeText(path)}, got something that is no file`,
  );
}
