/**
 * Runs the conformance kit against every provider that must pass it, with this many seeds (20 by default): a clause that
 * fails one of them once is a defect. Needs a build.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const seeds = process.argv[2] ?? '20';

const { status } = spawnSync(
  process.execPath,
  [VITEST, 'run', 'test/conformance/right-providers.test.ts', '--reporter=verbose'],
  { stdio: 'inherit', env: { ...process.env, CONFORMANCE_SEEDS: seeds } },
);
process.exitCode = status ?? 1;
