import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Lets the program print its help once for every command, and prints all of it as JSON. */
const ASK = `
const { start } = require(process.argv[1]);
const print = process.stdout.write;
async function ask(...args) {
  let text = '';
  process.stdout.write = (part) => {
    text += part;
    return true;
  };
  process.argv = [process.argv[0], 'mastra-lease', ...args];
  const { exitCode } = await start();
  process.stdout.write = print;
  if (exitCode !== 0 || text === '') throw new Error('there is none for ' + args.join(' '));
  return text;
}
(async () => {
  const texts = { all: await ask('--help') };
  for (const [, name] of texts.all.matchAll(/^  ([a-z]+) /gm)) {
    if (name !== 'help') texts[name] = await ask(name, '--help');
  }
  process.stdout.write(JSON.stringify(texts));
})();`;

/**
 * The help of the program and of each command at a width of 80 columns, by the names of the files that \`start\` looks for.
 *
 * @param {string} folder where the program is, without its \`start.js\`
 * @param {string} start the text of that
 * @param {string} main the file of the program
 * @returns {Map<string, string>}
 */
export function renderHelp(folder, start, main) {
  const draft = join(folder, `start.${process.pid}.js`);
  writeFileSync(draft, start);
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', ASK, draft], {
      env: {},
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The program does not print its help: ${stderr}`);
    /** @type {Record<string, string>} */
    const texts = JSON.parse(stdout);
    return new Map(Object.entries(texts).map(([name, text]) => [helpFile(main, name), text]));
  } finally {
    rmSync(draft);
  }
}

/**
 * @param {string} main
 * @param {string} name
 */
function helpFile(main, name) {
  return basename(main).replace('main', `help-${name}`).replace(/\.js$/, '.txt');
}
