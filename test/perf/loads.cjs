'use strict';
// Preloaded into the program: writes down what it loads, as JSON to the file that LOADS_FILE names.
const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const vm = require('node:vm');

/**
 * Node's own list, which its types leave out.
 *
 * @type {string[]}
 */
const loaded = Reflect.get(process, 'moduleLoadList');
const before = new Set(loaded);
/** @type {(string | undefined)[]} */
const files = [];
/** @type {string[]} */
const urls = [];

vm.Script = class extends vm.Script {
  /**
   * @param {string} text
   * @param {vm.ScriptOptions} options
   */
  constructor(text, options) {
    files.push(options.filename);
    super(text, options);
  }
};
registerHooks({
  load(url, context, next) {
    if (!url.startsWith('node:')) urls.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  const builtins = loaded.filter((name) => !before.has(name));
  writeFileSync(process.env.LOADS_FILE ?? '', JSON.stringify({ files, urls, builtins }));
});
