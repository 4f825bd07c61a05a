/**
 * Lets eight processes want one lease while their network, their server and they themselves are disturbed: first by faults
 * that keep the data, then by faults that lose it. `--minutes` (5 by default) is how long the first part goes on, `--seed`
 * makes the same faults again. Needs a build.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    minutes: { type: 'string', default: '5' },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (!(Number(value) > 0)) throw new Error(`Expected --${name} as a number above 0, got ${value}`);
}

const { status } = spawnSync(process.execPath, [VITEST, 'run', 'test/fault/chaos/chaos.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, CHAOS_SEED: values.seed, CHAOS_MINUTES: values.minutes },
});
process.exitCode = status ?? 1;
