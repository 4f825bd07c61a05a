import { existsSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { InvalidConfigError } from '../lease/errors.js';
import { escapeText } from '../lease/text.js';
import type { MastraEntry } from './module/mastra-project.js';
import { embeddedDatabasePath, type UserPlaces } from './state-dir.js';
import { type BackendName, type BackendSpec, MODULE_EXTENSIONS, parseBackend } from './url.js';

/**
 * Reads a backend's name, and looks whether the module or folder that it names is there; nothing is run or made. `source` is
 * who named it, for the message; relative paths are from `base`.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG`
 */
export async function readSpec(
  source: string,
  text: string,
  base: string,
  places: UserPlaces,
): Promise<BackendSpec> {
  try {
    return await resolveName(parseBackend(text, base), places);
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    throw new InvalidConfigError(`${source}: ${error.message}`, { remedy: error.remedy });
  }
}

async function resolveName(name: BackendName, places: UserPlaces): Promise<BackendSpec> {
  switch (name.kind) {
    case 'local':
      return { kind: 'sqlite', path: embeddedDatabasePath(places) };
    case 'sqlite':
      assertFolder(dirname(name.path));
      return name;
    case 'module':
      assertModuleFile(name.path);
      return name;
    case 'mastra-folder':
      return { kind: 'mastra', ...(await findProject(name.folder)) };
    default:
      return name;
  }
}

function assertModuleFile(path: string): void {
  const shown = escapeText(path);
  const stats = lookUp(path);
  if (!stats) {
    const meant = MODULE_EXTENSIONS.find((extension) => existsSync(path + extension));
    throw new InvalidConfigError(`There is no module ${shown}`, {
      remedy: meant && `did you mean ${escapeText(path + meant)}?`,
    });
  }
  if (stats.isDirectory()) {
    throw new InvalidConfigError(`Expected a module, got the folder ${shown}`, {
      remedy: 'name a file in it, or a Mastra project by mastra:DIR',
    });
  }
  if (!stats.isFile()) throw new InvalidConfigError(`Expected a module, and ${shown} is not a file`);
  const extension = extname(path);
  if (MODULE_EXTENSIONS.some((known) => known === extension)) return;
  throw new InvalidConfigError(
    `Expected a module of ${MODULE_EXTENSIONS.join(', ')}, got ${escapeText(basename(path))}`,
    {
      remedy: /^\.(db|sqlite3?)$/.test(extension) ? `an SQLite file is named sqlite:${shown}` : undefined,
    },
  );
}

/** A mistyped path must not become a new database: only the embedded default makes its own folder. */
function assertFolder(folder: string): void {
  const stats = lookUp(folder);
  if (stats?.isDirectory()) return;
  throw new InvalidConfigError(
    stats
      ? `Expected a folder for the SQLite file, and ${escapeText(folder)} is a file`
      : `There is no folder ${escapeText(folder)} for the SQLite file`,
    { remedy: 'make the folder first, or name the file that is meant (sqlite:PATH)' },
  );
}

async function findProject(folder: string): Promise<MastraEntry> {
  if (!lookUp(folder)?.isDirectory())
    throw new InvalidConfigError(`There is no folder ${escapeText(folder)}`);
  const { mastraEntryOf } = await import('./module/mastra-project.js');
  const found = mastraEntryOf(folder);
  if (found) return found;
  throw new InvalidConfigError(`There is no src/mastra/index.ts, .mts, .js or .mjs in ${escapeText(folder)}`);
}

function lookUp(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new InvalidConfigError(`${escapeText(path)} cannot be looked at (${code})`);
  }
}
