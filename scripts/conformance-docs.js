/** Runs the conformance kit on the providers and the mutants of the tests, and writes the results into the docs. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

const { status } = spawnSync(process.execPath, [VITEST, 'run', 'test/conformance/docs.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, CONFORMANCE_DOCS: 'write' },
});
process.exitCode = status ?? 1;
