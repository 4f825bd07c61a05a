/**
 * One process that loads one application and prints how many milliseconds that took. Arguments: `ours` and what
 * `loadApplication` takes, or `plain` and the URL of a module. Ours is what was built.
 */
const [, , how, what = ''] = process.argv;
const dist = new URL('../../dist/', import.meta.url).href;

// As the program is run; plain Node keeps compiled code only where it is told to.
const { keepCompiledCode } = await import(`${dist}cli/compile-cache.js`);
if (how === 'ours') keepCompiledCode();

const startedAt = performance.now();
if (how === 'ours') {
  /** @type {typeof import('../../src/backend/module/application.js')} */
  const { loadApplication } = await import(`${dist}backend/module/application.js`);
  const host = { env: process.env, cacheDir: process.env.BENCH_CACHE };
  await loadApplication(JSON.parse(what), host, { deadlineMs: 30_000 });
} else {
  await import(what);
}
const loadMs = performance.now() - startedAt;
process.stdout.write(`${loadMs}\n`, () => process.exit(0));
