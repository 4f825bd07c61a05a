import { realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { version } from 'node:process';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../lease/clock.js';
import { Deadline, withinDeadline } from '../../lease/deadline.js';
import { InvalidConfigError } from '../../lease/errors.js';
import { escapeText } from '../../lease/text.js';
import { exportsOf } from './module-exports.js';
import { firstOwnFrame } from './own-frame.js';
import { findPackageRoot } from './package-root.js';

/**
 * Loads a TypeScript or JavaScript module by its absolute path and answers its exports; what it exports by CommonJS is
 * its `default`.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG` in one line when it does not load, or is not done within `deadlineMs` milliseconds.
 */
export type LoadModule = (
  path: string,
  options: { readonly deadlineMs: number },
) => Promise<Record<string, unknown>>;

/** What an application is loaded into. */
export interface ApplicationHost {
  /** The environment that the application sees: its `.env` is added. */
  readonly env: Record<string, string | undefined>;
  /** A folder that nobody but the user can write to, for compiled modules; without one they are compiled each time. */
  readonly cacheDir: string | undefined;
  /** Told of the files whose variables it sees, before anything of it runs. */
  readonly onEnvFiles?: (files: readonly string[]) => void;
}

/** Part of the path of what is cached: to be raised when sources compile to something else than before. */
const CACHE_VERSION = 1;

/** Makes a loader. Modules run in this process: what they print, open or leave behind is the caller's to deal with. */
export function createModuleLoader({ cacheDir }: Pick<ApplicationHost, 'cacheDir'>): LoadModule {
  const cache = cacheDir === undefined ? false : join(cacheDir, `modules-${CACHE_VERSION}-${version}`);
  return async (path, { deadlineMs }) => {
    const file = realFile(path);
    const deadline = Deadline.after(deadlineMs, systemClock);
    return withinDeadline(load(file, cache), deadline, () => unsettled(file, deadlineMs));
  };
}

function realFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new InvalidConfigError(`There is no module ${escapeText(path)}`);
  if (stats.isDirectory())
    throw new InvalidConfigError(`Expected a module, got the folder ${escapeText(path)}`);
  return realpathSync(path);
}

async function load(file: string, cache: string | false): Promise<Record<string, unknown>> {
  const native = /\.[cm]?js$/.test(file) ? await reporting(file, () => importNatively(file)) : undefined;
  if (native) return exportsOf(file, native.namespace);
  const { importCompiled } = await import('./import-compiled.js');
  return exportsOf(file, await reporting(file, () => importCompiled(file, { cache, importNatively })));
}

/** Does what runs the application's code; what fails in there is told as the application's. */
async function reporting<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const { describeLoadFailure } = await import('./load-failure.js');
    throw describeLoadFailure(error, {
      file,
      root: findPackageRoot(dirname(file)) ?? dirname(file),
      importerOf: (imported) => modulesOf(file)[imported]?.parent?.filename,
    });
  }
}

/** Imports JavaScript as Node does; `undefined` for what Node cannot import and a compiler may. */
async function importNatively(file: string): Promise<{ namespace: unknown } | undefined> {
  try {
    return { namespace: await import(pathToFileURL(file).href) };
  } catch (error) {
    if (mayBeCompiled(error)) return undefined;
    throw error;
  }
}

const CURABLE = new Set([
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
]);

/** Whether nothing ran yet because of how something is written or found; a syntax error at run time has a place. */
function mayBeCompiled(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && CURABLE.has(String(error.code))) return true;
  return error.name === 'SyntaxError' && firstOwnFrame(error) === undefined;
}

function unsettled(file: string, deadlineMs: number): InvalidConfigError {
  const modules = modulesOf(file);
  let waiting = modules[file];
  for (let next = waiting; next; next = next.children.find(({ loaded }) => !loaded)) waiting = next;
  const where =
    waiting === undefined || waiting.filename === file ? '' : `, in ${escapeText(waiting.filename)}`;
  return new InvalidConfigError(
    `${escapeText(file)} does not load: it was still waiting at its top level after ${Number((deadlineMs / 1_000).toFixed(1))} s${where}`,
  );
}

function modulesOf(file: string): NodeJS.Dict<NodeJS.Module> {
  return createRequire(file).cache;
}
