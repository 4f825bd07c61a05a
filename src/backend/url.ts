import { resolve } from 'node:path';
import { InvalidConfigError } from '../lease/errors.js';

/** A backend that can be opened; nothing is opened yet. Paths are absolute. */
export type BackendSpec =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'memory' }
  /** A module of an application; without `exportName` the export is chosen. */
  | { readonly kind: 'module'; readonly path: string; readonly exportName?: string | undefined }
  /** A Mastra project: the module that exports its `mastra`, and the folder that the project is. */
  | { readonly kind: 'mastra'; readonly entry: string; readonly root: string };

/** A backend as its name says it: some names need a look at this machine before they are a {@link BackendSpec}. */
export type BackendName =
  | Exclude<BackendSpec, { kind: 'mastra' }>
  | { readonly kind: 'local' }
  | { readonly kind: 'mastra-folder'; readonly folder: string };

const FORMS =
  'redis://, rediss://, valkey://, redis+cluster://, redis+sentinel://, redis+unix://, sqlite:PATH, local, memory:, ./module.ts#export or mastra:DIR';

/** The extensions of a module. */
export const MODULE_EXTENSIONS = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx'] as const;

/** What begins like a path, but for `//`, where a URL without its scheme would begin. */
const LIKE_A_PATH = /^(\.{1,2}([\\/]|$)|[\\/](?![\\/])|[a-z]:[\\/])/i;

/**
 * Reads the name of a backend; relative paths are from `base`. The name is never quoted back: it may hold a password.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG`
 */
export function parseBackend(text: string, base: string): BackendName {
  if (text === 'local') return { kind: 'local' };
  if (text === 'memory:') return { kind: 'memory' };
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    if (path === '')
      throw new InvalidConfigError('Expected a path after sqlite:, as in sqlite:/var/lib/leases.db');
    if (path === ':memory:' || path.startsWith('file:')) throw notAPath(path);
    return { kind: 'sqlite', path: resolve(base, path) };
  }
  if (text.startsWith('mastra:')) {
    const folder = text.slice('mastra:'.length);
    if (folder === '') throw new InvalidConfigError('Expected a folder after mastra:, as in mastra:.');
    return { kind: 'mastra-folder', folder: resolve(base, folder) };
  }
  if (/^(redis|valkey)s?(\+(cluster|sentinel|unix))?:\/\//i.test(text)) return { kind: 'redis', url: text };
  const scheme = LIKE_A_PATH.test(text) ? undefined : /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  const module = scheme === undefined ? readModulePath(text) : undefined;
  if (module) {
    if (module.exportName === '')
      throw new InvalidConfigError('Expected the name of an export after #, as in ./pubsub.ts#pubsub');
    return { kind: 'module', ...module, path: resolve(base, module.path) };
  }
  const got =
    scheme === undefined ? (text === '' ? 'nothing' : 'a name without a scheme') : `the scheme ${scheme}:`;
  throw new InvalidConfigError(`Expected a backend as ${FORMS}, got ${got}`);
}

/** What SQLite itself would take for something else than a path is not made a file of that name. */
function notAPath(name: string): InvalidConfigError {
  const isMemory = name === ':memory:';
  return new InvalidConfigError(
    `Expected the path of a file after sqlite:, got ${isMemory ? name : 'an SQLite URI (file:…)'}`,
    { remedy: isMemory ? 'leases in memory are named memory:' : 'give the path alone' },
  );
}

/** Reads `PATH` or `PATH#EXPORT`; `undefined` for what looks like neither. */
function readModulePath(text: string): { path: string; exportName?: string } | undefined {
  const known = /^(?!\/\/)(.+?\.[cm]?[jt]sx?)(?:#(.*))?$/s.exec(text);
  const [, path, exportName] = known ?? /^([^#]+)(?:#([^/\\]*))?$/s.exec(text) ?? [];
  if (path === undefined || !(known || LIKE_A_PATH.test(text))) return undefined;
  return { path, ...(exportName !== undefined && { exportName }) };
}
