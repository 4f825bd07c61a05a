/**
 * Runs the tests of the library and the program with other Nodes: 22, 24 and 26, or those that are named. Each comes from
 * the npm package `node`, once, into a folder of `node_modules/.cache`: it is no dependency. Needs a build.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const VITEST = join(REPOSITORY, 'node_modules', 'vitest', 'vitest.mjs');
const SUITES = ['test/unit', 'test/contract', 'test/e2e'];

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24', '26'];
const failed = versions.filter((version) => !passes(version));
if (failed.length > 0) {
  process.stderr.write(`The tests fail with Node ${failed.join(', ')}\n`);
  process.exitCode = 1;
}

/** @param {string} version */
function passes(version) {
  const node = findOrInstall(version);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  process.stdout.write(`\nNode ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout}`);
  return spawnSync(node, [VITEST, 'run', ...SUITES], { cwd: REPOSITORY, env, stdio: 'inherit' }).status === 0;
}

/**
 * The path of a Node of this version.
 *
 * @param {string} version
 */
function findOrInstall(version) {
  if (!/^\d+(\.\d+){0,2}$/.test(version))
    throw new Error(`Expected a version such as 22 or 22.13.0, got ${version}`);
  const folder = join(REPOSITORY, 'node_modules', '.cache', 'nodes', version);
  const node = join(
    folder,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  // What the package does after its installation is to fetch the Node itself.
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const { status, error } = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-package-lock', `node@${version}`],
    {
      cwd: folder,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  );
  if (error) throw error;
  if (status !== 0 || !existsSync(node)) throw new Error(`Node ${version} could not be installed by npm`);
  return node;
}
