'use strict';
// The only place that ends the process, once its output is out: an application's module may have left handles open.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

let lostOutput;

// A reader that went away (`| head`) is no failure; an answer that could not be stored is one.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') lostOutput = error;
});
process.stderr.on('error', () => {});
// Nothing left to wait for, and no answer: without this, Node would end with 0.
process.on('beforeExit', () => fail('mastra-lease: a bug: it ran out of work before it had an answer', 1));

run().then(end, (error) => {
  if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(error?.code)) {
    return fail(`mastra-lease: a bug: ${error?.stack ?? error}`, 1);
  }
  return existsSync(join(__dirname, '../dist/program/start.js'))
    ? fail(`mastra-lease: a package is missing, run \`npm ci\`: ${error.message.split('\n')[0]}`, 2)
    : fail('mastra-lease is not built: run `npm ci`, which builds it too, or `npm run build`', 2);
});

async function run() {
  return require('../dist/program/start.js').start();
}

async function end({ exitCode, finish }) {
  await drained(process.stdout);
  if (lostOutput && exitCode === 0)
    return fail(`mastra-lease: the answer could not be written: ${lostOutput.message}`, 1);
  await drained(process.stderr);
  finish();
  process.exit(exitCode);
}

async function fail(line, code) {
  process.stderr.write(`${line}\n`);
  await drained(process.stderr);
  process.exit(code);
}

function drained(stream) {
  return new Promise((resolve) => stream.write('', resolve));
}
