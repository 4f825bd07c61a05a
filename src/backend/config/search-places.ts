import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { escapeText } from '../../lease/text.js';
import { ancestors } from '../module/package-root.js';
import type { UserPlaces } from '../state-dir.js';
import { readJson } from './json.js';
import { PACKAGE_FIELD } from './place.js';

const EXTENSIONS = ['ts', 'mts', 'js', 'mjs', 'json'] as const;

const PROJECT_FILES = EXTENSIONS.map((extension) => `mastra-lease.config.${extension}`);

/** Whether a config may have this name, by its extension. */
export function hasConfigExtension(path: string): boolean {
  return EXTENSIONS.some((extension) => path.endsWith(`.${extension}`));
}

/** The extensions of a config, for a sentence. */
export const CONFIG_EXTENSIONS = EXTENSIONS.map((extension) => `.${extension}`).join(', ');

/** Folders to look in, from `from` up to `to`, and the names to look for in each. */
export interface SearchPlace {
  readonly origin: 'project' | 'user';
  readonly from: string;
  readonly to: string;
  readonly files: readonly string[];
}

/** Where configs are looked for: the project's, from the working directory up to its root, then the user's own. */
export function searchPlaces(cwd: string, places: UserPlaces): readonly SearchPlace[] {
  const root = projectRoot(cwd, places.home);
  const user = userFolder(places);
  const userFiles = [...EXTENSIONS.map((extension) => `config.${extension}`), ...PROJECT_FILES];
  return [
    ...(root === undefined
      ? []
      : [{ origin: 'project' as const, from: cwd, to: root, files: [...PROJECT_FILES, 'package.json'] }]),
    ...(user === undefined ? [] : [{ origin: 'user' as const, from: user, to: user, files: userFiles }]),
  ];
}

/** The same for a message. */
export function describeSearch(cwd: string, places: UserPlaces): string {
  const searched = searchPlaces(cwd, places);
  const folders = searched.map(({ from, to }) =>
    from === to ? escapeText(from) : `${escapeText(from)} up to ${escapeText(to)}`,
  );
  if (searched.some(({ origin }) => origin === 'project')) return folders.join(' or ');
  return [`${escapeText(cwd)} (not searched: every user may leave files there)`, ...folders].join(' or ');
}

/**
 * Whether a search could find anything. Most folders hold no config: this look at names costs a millisecond, where the
 * finder and the schema take many to load.
 */
export function mayHaveConfig(cwd: string, places: UserPlaces): boolean {
  return searchPlaces(cwd, places).some(({ from, to, files }) =>
    foldersBetween(from, to).some((folder) => files.some((file) => mayBeConfig(join(folder, file)))),
  );
}

function mayBeConfig(path: string): boolean {
  if (!path.endsWith('package.json')) return existsSync(path);
  try {
    const content = readFileSync(path, 'utf8');
    if (!content.includes(PACKAGE_FIELD)) return false;
    const reading = readJson(content);
    return !('value' in reading) || hasPackageField(reading.value);
  } catch {
    return false;
  }
}

/** Whether what a package.json holds has a config in it. */
export function hasPackageField(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, PACKAGE_FIELD);
}

/** `from` and all above it up to `to`. */
export function foldersBetween(from: string, to: string): readonly string[] {
  const above = dirname(from);
  return from === to || from === above ? [from] : [from, ...foldersBetween(above, to)];
}

/**
 * The nearest folder with a package.json or a repository in it, else the home directory if it is above, else `cwd`
 * itself: what lies further up is not this project's. `undefined` in a folder where anybody can leave a config.
 */
function projectRoot(cwd: string, home: string | undefined): string | undefined {
  const folders = [...ancestors(cwd)];
  const isRoot = (folder: string) =>
    folder === home || ['package.json', '.git'].some((name) => existsSync(join(folder, name)));
  return folders.find(isRoot) ?? folders[0];
}

function userFolder({ env, platform, home }: UserPlaces): string | undefined {
  const named = platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME;
  // A relative one is to be ignored, says the XDG Base Directory Specification.
  if (named && isAbsolute(named)) return join(named, 'mastra-lease');
  return home && join(home, '.config', 'mastra-lease');
}
