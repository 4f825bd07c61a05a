/** Runs the tests of documents that are generated, such that they write what they would compare. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

const { status } = spawnSync(process.execPath, [VITEST, 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, DOCS: 'write' },
});
process.exitCode = status ?? 1;
