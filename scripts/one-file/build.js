/**
 * Builds `dist-one-file/mastra-lease.mjs`: the command line tool in one module that needs no package, no file and no
 * folder, for `node --input-type=module - owner KEY < mastra-lease.mjs` in a pod where nothing can be installed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { leanPackages } from '../bundle/lean-packages.js';
import { licensesOf } from '../bundle/licenses.js';
import { TARGET } from '../bundle/packs.js';
import { inlineLua } from '../inline-lua.js';
import { isMain } from '../is-main.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'dist-one-file';
const FILE = 'mastra-lease.mjs';

/** Sources that are left out, by the end of their paths. */
const LEFT_OUT =
  /[\\/]src[\\/](backend[\\/](module[\\/](application|load-module)|application-backend)|tui[\\/]index|cli[\\/]demo[\\/]crew)\.ts$/;

/** There is no place beside the module when it comes from a pipe; nothing is ever looked for here. */
const NOWHERE = JSON.stringify('file:///one-file/of/mastra-lease.mjs');

/** Builds it, and answers its path. */
export async function buildOneFile() {
  inlineLua();
  const { outputFiles, metafile } = await build({
    absWorkingDir: REPOSITORY,
    entryPoints: ['bin/mastra-lease.js'],
    outfile: join(FOLDER, FILE),
    bundle: true,
    platform: 'node',
    target: TARGET,
    format: 'esm',
    minifySyntax: true,
    minifyWhitespace: true,
    // All that is left to require are modules of Node, and what is asked for them is no folder.
    banner: { js: 'const require = (name) => process.getBuiltinModule(name);' },
    define: { 'import.meta.url': NOWHERE, __dirname: NOWHERE },
    plugins: [
      {
        name: 'one-file',
        setup(onefile) {
          const leftOut = readFileSync(join(REPOSITORY, 'scripts/one-file/left-out.ts'), 'utf8');
          const resolveDir = join(REPOSITORY, 'scripts/one-file');
          onefile.onLoad({ filter: LEFT_OUT }, () => ({ contents: leftOut, loader: 'ts', resolveDir }));
          onefile.onResolve({ filter: /[\\/]dist[\\/]program[\\/]start\.js$/ }, () => ({
            path: join(resolveDir, 'start.ts'),
          }));
        },
      },
      leanPackages(),
    ],
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
  const path = join(REPOSITORY, FOLDER, FILE);
  mkdirSync(join(REPOSITORY, FOLDER), { recursive: true });
  writeFileSync(path, outputFiles[0]?.text ?? '');
  writeFileSync(
    join(REPOSITORY, FOLDER, 'LICENSES.txt'),
    licensesOf(REPOSITORY, Object.keys(metafile.inputs)),
  );
  return path;
}

if (isMain(import.meta.url)) process.stdout.write(`${await buildOneFile()}\n`);
