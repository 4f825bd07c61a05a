/**
 * `npm run bench` runs every part, `npm run bench -- startup list` those. It builds first, starts what servers it needs, prints
 * what it measured, and writes `bench/results.json`, the tables of `docs/performance.md` and their plots. It wants a machine
 * that does nothing else. Ends with 1 when a goal is missed.
 */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from '../scripts/build.js';

// Sources name each other as they will be named once they are compiled; here they run as they are.
registerHooks({
  resolve(specifier, context, next) {
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(fileURLToPath(source))) return next(source.href, context);
    }
    return next(specifier, context);
  },
});

if ((await build()) === 0) {
  const { runBench } = await import('./main.ts');
  // The servers that are waited for keep no process alive.
  const alive = setInterval(() => {}, 60_000);
  process.exitCode = await runBench(process.argv.slice(2));
  clearInterval(alive);
} else {
  process.exitCode = 1;
}
