/** Bundles the command line tool into `dist/program`: the same as the compiled one, and several times faster to start. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { renderHelp } from './help.js';
import { lateBuiltins } from './late-builtins.js';
import { leanPackages } from './lean-packages.js';
import { licensesOf } from './licenses.js';
import { packChunks, TARGET } from './packs.js';
import { placesOf } from './places.js';

const MAIN = 'src/cli/main.ts';
const FOLDER = join('dist', 'program');
/** What `bin` loads. */
const START = 'start.js';

/** Verbs that people wait for. */
const QUICK = ['owner', 'list', 'wait', 'acquire', 'renew', 'transfer', 'release', 'exec'];

/** What is needed together is in one file. */
const PACKS = {
  main: [
    MAIN,
    ...QUICK.map((verb) => `src/cli/commands/${verb}.ts`),
    'src/backend/config/search-places.ts',
    'src/backend/module/mastra-project.ts',
  ],
  redis: ['src/providers/redis/index.ts'],
  sqlite: ['src/providers/sqlite/index.ts'],
};

/** Packages that are installed beside it: only some commands load them, and whole. */
const INSTALLED = [
  '@inquirer/confirm',
  'dotenv',
  'get-tsconfig',
  'ink',
  'jiti',
  'lilconfig',
  'react',
  'react/*',
  'zod',
];

/** How many files of builds before are left to the processes that started from them. */
const KEPT_FILES = 200;

/**
 * Writes the program, and answers whether it could: what is wrong with the sources is printed.
 *
 * @param {string} repository
 * @param {{ keepsOld: boolean }} options whether files of the builds before stay for a while
 */
export async function bundleProgram(repository, { keepsOld }) {
  try {
    const folder = join(repository, FOLDER);
    const { main, files } = await bundle(repository);
    const start = await bundleStart(repository, main);
    writeFiles(folder, files);
    const texts = renderHelp(folder, start, main);
    writeFiles(folder, texts);
    // Last, and in one step: whoever starts it finds all of its files.
    writeFiles(folder, new Map([[START, start]]));
    removeOthers(folder, new Set([...files.keys(), ...texts.keys(), START]), keepsOld ? KEPT_FILES : 0);
    return true;
  } catch (error) {
    // esbuild has told its own.
    if (!(error instanceof Error && 'errors' in error)) throw error;
    return false;
  }
}

/** @param {string} repository */
async function bundle(repository) {
  const program = await build({
    ...optionsFor(repository),
    entryPoints: [MAIN],
    format: 'esm',
    splitting: true,
    external: INSTALLED,
    plugins: [placesOf(repository, FOLDER), leanPackages(), lateBuiltins()],
    write: false,
    metafile: true,
  });
  const { main, files } = await packChunks(program, PACKS);
  files.set('package.json', '{ "type": "commonjs" }\n');
  files.set('LICENSES.txt', licensesOf(repository, Object.keys(program.metafile.inputs)));
  return { main, files };
}

/**
 * The text of what `bin` loads, which runs the program.
 *
 * @param {string} repository
 * @param {string} main the file of the program
 */
export async function bundleStart(repository, main) {
  const { outputFiles } = await build({
    ...optionsFor(repository),
    entryPoints: ['src/cli/start.ts'],
    format: 'cjs',
    define: { PROGRAM: JSON.stringify(`./${main}`), 'import.meta.dirname': '__dirname' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** @param {string} repository */
function optionsFor(repository) {
  return /** @type {const} @satisfies {import('esbuild').BuildOptions} */ ({
    absWorkingDir: repository,
    outdir: FOLDER,
    bundle: true,
    platform: 'node',
    target: TARGET,
    jsx: 'automatic',
    logLevel: 'warning',
  });
}

/**
 * Writes what differs.
 *
 * @param {string} folder
 * @param {ReadonlyMap<string, string>} files
 */
function writeFiles(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, text);
    renameSync(draft, path);
  }
}

/**
 * @param {string} folder
 * @param {ReadonlySet<string>} files
 * @param {number} kept how many others stay, the youngest
 */
function removeOthers(folder, files, kept) {
  const others = readdirSync(folder)
    .filter((name) => !files.has(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, writtenMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.writtenMs - one.writtenMs);
  for (const { path } of others.slice(kept)) rmSync(path, { force: true });
}
