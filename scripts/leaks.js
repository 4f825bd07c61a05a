/**
 * Repeats every verb of the library (10,000 times; `--cycles`), and follows 500 changes a second (for 10 minutes; `--minutes`)
 * with a restart of the server each minute: heap, handles and listeners must stay as they are. Needs a build.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '10' },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (!(Number(value) > 0)) throw new Error(`Expected --${name} as a number above 0, got ${value}`);
}

const { status } = spawnSync(
  process.execPath,
  [VITEST, 'run', 'test/fault/leaks/leaks.test.ts', '--reporter=verbose'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      LEAK_CYCLES: values.cycles,
      LEAK_WATCH_S: String(Number(values.minutes) * 60),
      LEAK_RESTART_S: '60',
    },
  },
);
process.exitCode = status ?? 1;
