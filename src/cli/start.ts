import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeFolder, keepCompiledCode } from './compile-cache.js';
import { HELP_COLUMNS } from './help/columns.js';
import { type CodeCache, ProgramFiles } from './program-files.js';
import { type Ended, runToEnd } from './run.js';

/** The file of the bundled program that is run; the build puts its name here. */
declare const PROGRAM: string;

/** Runs that had an answer: they have used what the next run of the command will use. */
const ANSWERED = [0, 3, 4];

/** Runs the bundled program that lies beside this file, and ends the process. */
export function run(): void {
  void runToEnd(start);
}

/** Runs the bundled program. */
export async function start(): Promise<Ended> {
  const help = readyHelp(process.argv.slice(2));
  if (help !== undefined) {
    process.stdout.write(help);
    return { exitCode: 0, finish: () => {} };
  }
  // Node's own cache is for packages: few commands load one.
  const files = new ProgramFiles(import.meta.dirname, codeCache(codeFolder()), keepCompiledCode);
  const program = files.load(PROGRAM);
  if (!isProgram(program)) throw new TypeError(`Expected runMain in ${PROGRAM}`);
  const exitCode = await program.runMain();
  return {
    exitCode,
    finish: () => {
      if (ANSWERED.includes(exitCode)) files.keepCode();
    },
  };
}

/** The help as the build has written it down, for a width of 80 columns; `undefined` for what the program has to answer. */
function readyHelp([first, second, ...others]: readonly string[]): string | undefined {
  if (others.length > 0 || process.stdout.columns < HELP_COLUMNS) return undefined;
  const asks = (word: string | undefined) => word === '--help' || word === '-h';
  const topic =
    second === undefined
      ? (asks(first) || first === 'help') && 'all'
      : first === 'help'
        ? second
        : asks(second) && first;
  if (!topic || !/^[a-z]+$/.test(topic)) return undefined;
  const name = PROGRAM.replace('main', `help-${topic}`).replace(/\.js$/, '.txt');
  try {
    return readFileSync(join(import.meta.dirname, name), 'utf8');
  } catch {
    return undefined;
  }
}

function isProgram(exports: unknown): exports is { runMain: () => Promise<number> } {
  return typeof exports === 'object' && exports !== null && 'runMain' in exports;
}

function codeCache(root: string | undefined): CodeCache | undefined {
  if (root === undefined) return undefined;
  const [word = '', ...others] = process.argv.slice(2);
  const verb = /^[a-z]{1,20}$/.test(word) ? word : 'none';
  const asksForHelp = others.includes('--help') || others.includes('-h');
  return { folder: `${root}/program`, command: asksForHelp ? `${verb}-help` : verb };
}
