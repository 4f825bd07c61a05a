import { existsSync } from 'node:fs';
import { InvalidConfigError } from '../lease/errors.js';
import { embeddedDatabasePath, type UserPlaces } from './state-dir.js';
import { type BackendSpec, parseBackend } from './url.js';

/** Whether a command only reads; a read never creates the embedded backend. */
export type Access = 'read' | 'write';

/** A backend that was found, and by which step. */
export interface LocatedBackend {
  readonly spec: Exclude<BackendSpec, { kind: 'local' }>;
  /** `--backend`, the name of the variable, or `default`. */
  readonly foundBy: string;
  /** Whether nobody named it: it is then announced. */
  readonly isImplied: boolean;
}

/** What the search for a backend depends on. */
export interface LocateOptions extends UserPlaces {
  /** The value of `--backend`. */
  readonly backend?: string | undefined;
  readonly access: Access;
}

/** Finds the backend: a flag, then the variables, then the embedded default. First match wins.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` when there is none.
 */
export function locateBackend(options: LocateOptions): LocatedBackend {
  const { env } = options;
  if (options.backend !== undefined) return named(options.backend, '--backend', options);
  const variable = env.MASTRA_LEASE_BACKEND;
  if (variable) return named(variable, 'MASTRA_LEASE_BACKEND', options);
  for (const name of ['REDIS_URL', 'VALKEY_URL']) {
    const url = env[name];
    if (url) return { ...named(url, name, options), isImplied: true };
  }
  return embeddedDefault(options);
}

function named(text: string, foundBy: string, options: LocateOptions): LocatedBackend {
  const spec = withSource(foundBy, () => parseBackend(text));
  if (spec.kind !== 'local') return { spec, foundBy, isImplied: false };
  return { spec: { kind: 'sqlite', path: embeddedDatabasePath(options) }, foundBy, isImplied: false };
}

function withSource<T>(foundBy: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    throw new InvalidConfigError(`${foundBy}: ${error.message}`, { remedy: error.remedy });
  }
}

const NAME_ONE = 'name one by --backend, MASTRA_LEASE_BACKEND or REDIS_URL';

/** The embedded default is never implied where `CI` is set, and a read never creates it: neither would mean anything. */
function embeddedDefault(options: LocateOptions): LocatedBackend {
  if (options.env.CI) {
    throw new InvalidConfigError('No backend found: CI is set, where the embedded default is never implied', {
      remedy: `${NAME_ONE}, or the embedded one by --backend local`,
    });
  }
  const path = embeddedDatabasePath(options);
  if (options.access === 'read' && !existsSync(path)) {
    throw new InvalidConfigError(
      'No backend found: no variable names one, and nothing was ever leased on this host',
      {
        remedy: `${NAME_ONE}; a first acquire makes the embedded one`,
      },
    );
  }
  return { spec: { kind: 'sqlite', path }, foundBy: 'default', isImplied: true };
}
