import { Command, CommanderError } from 'commander';
import { withoutSecrets } from '../output/command-line.js';
import type { Run, SealedCommand } from './command.js';
import { EXIT_CODES } from './exit-codes.js';
import { UsageError } from './usage-error.js';
import { version } from './version.js';

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<SealedCommand>;
}

/** The verbs, in the order in which help lists them. Each is loaded only when it is named. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  owner: { summary: 'who holds a key', load: async () => (await import('./commands/owner.js')).owner },
  list: { summary: 'every lease, worst first', load: async () => (await import('./commands/list.js')).list },
  watch: {
    summary: 'who owns what, live',
    load: async () => (await import('./commands/watch.js')).watch,
  },
  wait: {
    summary: 'until a key is free, held or changed',
    load: async () => (await import('./commands/wait.js')).wait,
  },
  acquire: { summary: 'claim a key', load: async () => (await import('./commands/acquire.js')).acquire },
  renew: { summary: 'extend a lease', load: async () => (await import('./commands/renew.js')).renew },
  transfer: {
    summary: 'hand a lease over',
    load: async () => (await import('./commands/transfer.js')).transfer,
  },
  release: {
    summary: 'give a lease back',
    load: async () => (await import('./commands/release.js')).release,
  },
  exec: {
    summary: 'run a command while holding a lease',
    load: async () => (await import('./commands/exec.js')).exec,
  },
  demo: {
    summary: 'simulated workers, to see it all without any setup',
    load: async () => (await import('./commands/demo.js')).demo,
  },
  check: {
    summary: 'what the backend is, and whether it answers',
    load: async () => (await import('./commands/check.js')).check,
  },
  conformance: {
    summary: 'prove the contract against the backend; writes',
    load: async () => (await import('./commands/conformance.js')).conformance,
  },
};

/** Parses the arguments and runs the verb they name. Throws {@link UsageError} for what cannot be parsed. */
export async function runProgram(run: Run): Promise<number> {
  const { io } = run;
  assertUtf8(io.argv);
  let exitCode = 0;
  const program = new Command('mastra-lease')
    .description('See and move the leases that elect the owner of a Mastra agent thread.')
    .version(version, '-V, --version')
    .helpOption('-h, --help')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => io.columns,
      getOutHasColors: () => false,
    })
    .addHelpText('after', exitCodeHelp());
  const named = io.argv[0] === 'help' ? io.argv[1] : io.argv[0];
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (name !== named) continue;
    (await load()).attach(command, run, (code) => {
      exitCode = code;
    });
    assertValuesGiven(io.argv, command);
  }
  if (io.argv.length === 0) {
    io.stderr.write(program.helpInformation());
    return 2;
  }
  try {
    await program.parseAsync([...io.argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw new UsageError(usageText(error, io.argv));
  }
}

/** Node puts U+FFFD for bytes that are not UTF-8: the key would be another one, and that one is free. */
function assertUtf8(argv: readonly string[]): void {
  const lossy = argv.find((word) => word.includes('\ufffd'));
  if (lossy === undefined) return;
  throw new UsageError(
    `Expected arguments in UTF-8, got "${withoutSecrets(lossy)}": a U+FFFD that is meant is written \\u{fffd}`,
  );
}

/** Commander takes whatever follows as an option's value: where that is a flag, the value was forgotten. */
function assertValuesGiven(argv: readonly string[], { options }: Command): void {
  const flags = new Map([
    ['-h', false],
    ['--help', false],
  ]);
  for (const { short, long, required } of options) {
    for (const flag of [short, long]) if (flag) flags.set(flag, required);
  }
  for (const [index, word] of argv.entries()) {
    if (word === '--') return;
    const next = argv[index + 1];
    if (!flags.get(word) || next === undefined || !flags.has(next)) continue;
    throw new UsageError(
      `Expected a value after ${word}, got ${next}: one that begins with a dash is given as ${word}=${next}`,
    );
  }
}

/** Commander's message in one line, without what an argument may bring that is secret, and with what it leaves out. */
function usageText({ code, message }: CommanderError, argv: readonly string[]): string {
  const text = argv
    .reduce((line, word) => line.replaceAll(word, () => withoutValue(word)), message)
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
  if (code !== 'commander.unknownOption') return text;
  if (argv[0]?.startsWith('-')) return `${text}: options come after the command`;
  return /^unknown option '-[^-]/.test(text) ? `${text}: a key that begins with a dash goes after --` : text;
}

function withoutValue(word: string): string {
  return word.startsWith('-') ? word.replace(/=.*/s, '') : withoutSecrets(word);
}

function exitCodeHelp(): string {
  const lines = Object.entries(EXIT_CODES).map(([code, { meaning }]) => `  ${code.padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}\n`;
}
