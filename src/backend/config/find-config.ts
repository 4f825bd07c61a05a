import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LilconfigResult } from 'lilconfig';
import { InvalidConfigError, isLeaseError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import type { LoadModule } from '../module/load-module.js';
import type { UserPlaces } from '../state-dir.js';
import type { LeaseConfig } from './define-config.js';
import { PACKAGE_FIELD } from './place.js';
import { type ReadOptions, readJsonFile, readModuleFile } from './read-config.js';
import {
  CONFIG_EXTENSIONS,
  foldersBetween,
  hasConfigExtension,
  type SearchPlace,
  searchPlaces,
} from './search-places.js';

/** A config that was found, checked. */
export interface FoundConfig {
  readonly config: LeaseConfig;
  /** The absolute path of its file. */
  readonly path: string;
  /** Whose it is: found in the project, found among the user's own, or named by `--config`. */
  readonly origin: 'project' | 'user' | '--config';
}

/** What the search for configs depends on. */
export interface FindConfigOptions extends UserPlaces {
  readonly cwd: string;
  /** `--config`: that file, and no other. */
  readonly configPath?: string | undefined;
  readonly loadModule: LoadModule;
}

/** Finds, reads and checks every config: the project's, then the user's own; or the one that `--config` names. */
export async function findConfigs(options: FindConfigOptions): Promise<readonly FoundConfig[]> {
  const configs: FoundConfig[] = [];
  for await (const found of searchConfigs(options)) configs.push(found);
  return configs;
}

/**
 * The same one by one, so that the user's own is neither read nor run where the project's decides.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` for a file that cannot be read, does not load or says what no config can say.
 */
export async function* searchConfigs(
  options: FindConfigOptions,
): AsyncGenerator<FoundConfig, void, undefined> {
  const { configPath } = options;
  if (configPath !== undefined) {
    yield await loadNamed(configPath, options);
    return;
  }
  for (const place of searchPlaces(options.cwd, options)) {
    const found = await searchPlace(place, options);
    if (found) yield found;
  }
}

async function loadNamed(
  configPath: string,
  { cwd, platform, loadModule }: FindConfigOptions,
): Promise<FoundConfig> {
  const path = resolve(cwd, configPath);
  if (configPath === '' || !hasConfigExtension(path)) {
    throw new InvalidConfigError(
      `Expected a file of ${CONFIG_EXTENSIONS} after --config, got ${configPath === '' ? 'nothing' : escapeText(path)}`,
    );
  }
  const finder = await openFinder({ platform, loadModule, isNamed: true });
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw notAFile(path);
    return await checked(await finder.load(path), '--config');
  } catch (error) {
    throw isLeaseError(error) ? error : unreadable(error, path);
  }
}

async function searchPlace(
  place: SearchPlace,
  { platform, loadModule }: FindConfigOptions,
): Promise<FoundConfig | undefined> {
  const finder = await openFinder({ platform, loadModule, isNamed: false }, place);
  try {
    const result = await finder.search(place.from);
    return result ? await checked(result, place.origin) : undefined;
  } catch (error) {
    throw isLeaseError(error) ? error : unreadable(error, folderInPlaceOfAFile(place));
  }
}

async function openFinder(options: ReadOptions, place?: SearchPlace) {
  const { lilconfig } = await import('lilconfig');
  const run = (file: string) => readModuleFile(file, options);
  return lilconfig(PACKAGE_FIELD, {
    ...(place && { stopDir: place.to, searchPlaces: [...place.files] }),
    loaders: {
      '.ts': run,
      '.mts': run,
      '.js': run,
      '.mjs': run,
      '.json': (file: string, content: string) => readJsonFile(file, content, options),
    },
    ignoreEmptySearchPlaces: false,
    cache: false,
  });
}

async function checked(result: LilconfigResult, origin: FoundConfig['origin']): Promise<FoundConfig> {
  const path = result?.filepath ?? '';
  if (result?.isEmpty)
    throw new InvalidConfigError(`${escapeText(path)}: expected a config, got an empty file`);
  const { parseConfig } = await import('./schema.js');
  return { config: parseConfig(result?.config, path), path, origin };
}

/** Node names the file when it may not be opened, but not when it is a folder. */
function unreadable(error: unknown, path: string | undefined): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'EISDIR' && path !== undefined) return notAFile(path);
  const file = 'path' in error && typeof error.path === 'string' ? error.path : (path ?? '');
  if (error.code === 'ENOENT') return new InvalidConfigError(`There is no config at ${escapeText(file)}`);
  return new InvalidConfigError(`${escapeText(file)}: cannot be read (${String(error.code)})`);
}

function notAFile(path: string): InvalidConfigError {
  return new InvalidConfigError(
    `${escapeText(path)}: expected a config file, got something else of that name`,
  );
}

function folderInPlaceOfAFile({ from, to, files }: SearchPlace): string | undefined {
  return foldersBetween(from, to)
    .flatMap((folder) => files.map((file) => join(folder, file)))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory());
}
