import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LoadModule } from '../../../../src/backend/module/load-module.js';
import { makeTempDir } from '../../../support/temp-dir.js';

/** Runs JavaScript as Node does. */
const importModule: LoadModule = async (path) => import(/* @vite-ignore */ pathToFileURL(path).href);

export interface Project extends AsyncDisposable {
  /** A folder with `app/package.json` and an empty home beside it. */
  readonly path: string;
  readonly app: string;
  readonly home: string;
  /** Writes a file, by its path inside the folder; returns its absolute path. */
  write(file: string, content: string | object): Promise<string>;
  /** What the search depends on: this folder's `app` and `home`, and a bare environment. */
  readonly options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly platform: NodeJS.Platform;
    readonly home: string;
    readonly loadModule: LoadModule;
  };
}

/** A real project in a folder of its own. Objects are written as JSON. */
export async function makeProject(
  files: Readonly<Record<string, string | object>> = { 'app/package.json': { name: 'app' } },
): Promise<Project> {
  const folder = await makeTempDir();
  const path = await realpath(folder.path);
  const [app, home] = [join(path, 'app'), join(path, 'home')];
  const write = async (file: string, content: string | object) => {
    const target = join(path, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return target;
  };
  await mkdir(app);
  await mkdir(home);
  for (const [file, content] of Object.entries(files)) await write(file, content);
  return {
    path,
    app,
    home,
    write,
    options: { cwd: app, env: {}, platform: 'linux', home, loadModule: importModule },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}

/** The one line that a failure says, with its remedy. */
export async function failureOf(work: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code !== 'ERR_LEASE_INVALID_CONFIG') throw error;
    const remedy = 'remedy' in error && error.remedy !== undefined ? ` — ${String(error.remedy)}` : '';
    const line = `${error.message}${remedy}`;
    if (line.includes('\n')) throw new Error(`Expected one line, got ${JSON.stringify(line)}`);
    return line;
  }
  throw new Error('Expected a failure');
}
