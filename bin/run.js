'use strict';
// The only place that ends the process, once its output is out: an application's module may have left handles open.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const MAIN = '../dist/cli/main.js';
let lostOutput;

// A reader that went away (`| head`) is no failure; an answer that could not be stored is one.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') lostOutput = error;
});
process.stderr.on('error', () => {});
// Nothing left to wait for, and no answer: without this, Node would end with 0.
process.on('beforeExit', () => fail('mastra-lease: a bug: it ran out of work before it had an answer', 1));

run().then(end, (error) => {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND') return fail(`mastra-lease: a bug: ${error?.stack ?? error}`, 1);
  return existsSync(join(__dirname, MAIN))
    ? fail(`mastra-lease: a package is missing, run \`npm ci\`: ${error.message.split('\n')[0]}`, 2)
    : fail('mastra-lease is not built: run `npm ci`, which builds it too, or `npm run build`', 2);
});

async function run() {
  const { useCompileCache } = await import('../dist/cli/compile-cache.js');
  useCompileCache();
  const { runMain } = await import('../dist/cli/main.js');
  return runMain();
}

async function end(code) {
  await drained(process.stdout);
  if (lostOutput && code === 0)
    return fail(`mastra-lease: the answer could not be written: ${lostOutput.message}`, 1);
  await drained(process.stderr);
  process.exit(code);
}

async function fail(line, code) {
  process.stderr.write(`${line}\n`);
  await drained(process.stderr);
  process.exit(code);
}

function drained(stream) {
  return new Promise((resolve) => stream.write('', resolve));
}
