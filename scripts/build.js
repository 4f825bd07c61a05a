/**
 * Builds `dist`: inlines the Lua scripts, compiles `src`, removes what no source stands for any more, and bundles the
 * command line tool for a quick start.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inlineLua } from './inline-lua.js';
import { isMain } from './is-main.js';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(REPOSITORY, 'dist');
const BUILD_INFO = 'build.tsbuildinfo';
const COMPILER = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
const BUNDLER = join(REPOSITORY, 'node_modules', 'esbuild');
/** Where the bundle is, in `dist`. */
const PROGRAM = 'program';

/** Whether what it takes is installed. */
export function canBuild() {
  return existsSync(COMPILER) && existsSync(BUNDLER);
}

/**
 * Compiles and bundles, and answers the exit code of what failed, or 0. What the two have to say goes to this process's
 * output.
 *
 * @param {{ keepsOld?: boolean }} [options] whether the files of the bundle before stay for a while, for who runs them
 */
export async function build({ keepsOld = true } = {}) {
  inlineLua();
  const expected = expectedFiles();
  // The compiler believes its build info, not the folder: a file that went missing is written only without the first.
  if ([...expected].some((file) => !existsSync(join(DIST, file))))
    rmSync(join(DIST, BUILD_INFO), { force: true });
  const { status, error } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.build.json'], {
    cwd: REPOSITORY,
    stdio: 'inherit',
  });
  if (error) throw error;
  if (existsSync(DIST)) removeStrangers(DIST, '', expected);
  // Not at the top: nothing of this is there before `npm ci`.
  const { bundleProgram } = await import('./bundle/program.js');
  const isBundled = await bundleProgram(REPOSITORY, { keepsOld });
  return status || (isBundled ? 0 : 1);
}

/** What the compiler writes, as paths inside `dist`. */
function expectedFiles() {
  const sources = readdirSync(join(REPOSITORY, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'),
  );
  const outputs = sources.flatMap((file) => {
    const stem = file.replace(/\.tsx?$/, '');
    return [`${stem}.js`, `${stem}.d.ts`];
  });
  return new Set([...outputs, BUILD_INFO]);
}

/**
 * @param {string} root
 * @param {string} folder inside `root`
 * @param {ReadonlySet<string>} expected
 */
function removeStrangers(root, folder, expected) {
  for (const name of readdirSync(join(root, folder))) {
    const file = join(folder, name);
    if (file === PROGRAM) continue;
    if (statSync(join(root, file)).isDirectory()) removeStrangers(root, file, expected);
    else if (!expected.has(file)) rmSync(join(root, file));
  }
  if (folder !== '' && readdirSync(join(root, folder)).length === 0) rmdirSync(join(root, folder));
}

if (isMain(import.meta.url)) {
  if (canBuild()) process.exitCode = await build();
  else {
    process.stderr.write('The compiler is not installed: run `npm ci` first.\n');
    process.exitCode = 1;
  }
}
