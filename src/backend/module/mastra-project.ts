import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ancestors, findPackageRoot } from './package-root.js';

/** The module that exports a project's `mastra`, and the folder that the project is. */
export interface MastraEntry {
  readonly entry: string;
  readonly root: string;
}

/** The names under which Mastra looks for the entry, in its order. */
const ENTRY_FILES = ['index.ts', 'index.mts', 'index.js', 'index.mjs'] as const;

/**
 * The Mastra project that `cwd` is in: the nearest `src/mastra/index.*` from there up to the package root. `undefined`
 * outside of a package, and in folders that every user may write to: the entry is going to be run.
 */
export function findMastraEntry(cwd: string): MastraEntry | undefined {
  const root = findPackageRoot(cwd);
  if (root === undefined) return undefined;
  for (const folder of ancestors(cwd)) {
    const entry = entryIn(join(folder, 'src', 'mastra'));
    if (entry !== undefined) return { entry, root };
    if (folder === root) return undefined;
  }
  return undefined;
}

/** The Mastra project that is `folder`, or whose `src/mastra` is; nothing above it is looked at. */
export function mastraEntryOf(folder: string): MastraEntry | undefined {
  const entry = entryIn(join(folder, 'src', 'mastra'));
  if (entry !== undefined) return { entry, root: folder };
  if (basename(folder) !== 'mastra') return undefined;
  const own = entryIn(folder);
  return own === undefined
    ? undefined
    : { entry: own, root: findPackageRoot(folder) ?? dirname(dirname(folder)) };
}

function entryIn(folder: string): string | undefined {
  return ENTRY_FILES.map((name) => join(folder, name)).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
