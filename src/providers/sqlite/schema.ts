import type { DatabaseSync } from 'node:sqlite';
import { InvalidConfigError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';

/** "MLSE" in the file's header: this SQLite database is ours. */
const APPLICATION_ID = 0x4d4c5345;
const SCHEMA_VERSION = 1;

/**
 * Keys and owners are blobs because Node 22 cuts text at a NUL when it reads it back. `expires_at` is in milliseconds
 * of the host's wall clock, 0 for a lease that was given back. `write_id` names the call that last did something.
 */
const CREATE = `
  CREATE TABLE leases (
    key BLOB NOT NULL PRIMARY KEY,
    owner BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    renewals INTEGER NOT NULL,
    write_id BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX leases_by_expiry ON leases (expires_at);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** One statement, so that all of it is from one moment of a file that another process may be setting up. */
const IDENTIFY = `
  SELECT
    (SELECT application_id FROM pragma_application_id) AS application,
    (SELECT user_version FROM pragma_user_version) AS version,
    (SELECT count(*) FROM sqlite_schema) AS objects
`;

/** @throws {@link InvalidConfigError} when the database is not one of ours. */
export function assertOurs(database: DatabaseSync, path: string): void {
  if (identify(database, path) === 'new') {
    throw new InvalidConfigError(
      `Expected a lease database at ${escapeText(path)}, got an empty SQLite database`,
    );
  }
}

/**
 * Sets up a new database in one transaction; another process sees nothing of it or all of it. After an error the
 * connection must be closed, which undoes what was begun.
 *
 * @throws {@link InvalidConfigError} when the database is not one of ours, which is then left as it was.
 */
export function setUp(database: DatabaseSync, path: string): void {
  if (identify(database, path) === 'ours') return;
  database.exec('BEGIN IMMEDIATE');
  // Again, under the lock: another process may have set it up meanwhile.
  if (identify(database, path) === 'new') database.exec(CREATE);
  database.exec('COMMIT');
}

function identify(database: DatabaseSync, path: string): 'ours' | 'new' {
  const { application, version, objects } = { ...database.prepare(IDENTIFY).get() };
  if (application === APPLICATION_ID) {
    if (version === SCHEMA_VERSION) return 'ours';
    throw new InvalidConfigError(
      `Expected version ${SCHEMA_VERSION} of the lease database at ${escapeText(path)}, got version ${version}`,
      { remedy: 'use the version of mastra-lease that wrote it, or name another file' },
    );
  }
  if (application === 0 && version === 0 && objects === 0) return 'new';
  throw new InvalidConfigError(
    `Expected a lease database at ${escapeText(path)}, got an SQLite database of something else`,
    { remedy: 'name another file' },
  );
}
