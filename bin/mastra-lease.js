#!/usr/bin/env node
'use strict';
// Any Node, however old, must be able to read this file to say that it is too old: plain ES5, and CommonJS by the
// package.json beside it.
var version = process.versions.node;
var major = Number(version.split('.')[0]);
var minor = Number(version.split('.')[1]);
var program;

if (major > 22 || (major === 22 && minor >= 13)) {
  try {
    program = require('../dist/program/start.js');
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      'mastra-lease is not built: run `npm ci`, which builds it too, or `npm run build`\n'
    );
    process.exitCode = 2;
  }
  if (program) program.run();
} else {
  process.stderr.write('mastra-lease needs Node.js 22.13 or newer; this is ' + version + '. ');
  process.stderr.write('Install a newer one; in a clone, run `npm ci`, which brings one along.\n');
  process.exitCode = 2;
}
