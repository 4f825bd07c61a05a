import { Command, CommanderError } from 'commander';
import { withoutSecrets } from '../output/command-line.js';
import type { Run, SealedCommand } from './command.js';
import { COMMAND_LOADERS } from './command-loaders.js';
import { COMMAND_GROUPS, COMMAND_NAMES, COMMANDS, type CommandName, isCommandName } from './command-table.js';
import { UsageError } from './usage-error.js';
import { version } from './version.js';

/** Parses the arguments and runs the verb they name. Throws {@link UsageError} for what cannot be parsed. */
export async function runProgram(run: Run): Promise<number> {
  const { io } = run;
  assertUtf8(io.argv);
  const help = isHelpAsked(io.argv) ? await import('./help/help-text.js') : undefined;
  const asked = help?.readHelpCommand(io.argv) ?? { argv: io.argv };
  if ('text' in asked) {
    io.stdout.write(asked.text);
    return 0;
  }
  const { argv } = asked;
  const [word] = argv;
  let exitCode = 0;
  const program = new Command('mastra-lease')
    .version(version, '-V, --version')
    .helpOption('-h, --help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => io.columns,
      getOutHasColors: () => false,
    });
  help?.describeProgram(program);
  for (const name of isCommandName(word) ? [word] : COMMAND_NAMES) {
    const { group, summary } = COMMANDS[name];
    const command = program.commandsGroup(COMMAND_GROUPS[group]).command(name).summary(summary);
    if (name !== word) continue;
    (await COMMAND_LOADERS[name]()).attach(command, { ...run, loadCommand }, (code) => {
      exitCode = code;
    });
    help?.describeCommand(command, name);
    assertValuesGiven(argv, command);
  }
  if (argv.length === 0) {
    program.configureOutput({ writeOut: (text) => io.stderr.write(text) }).outputHelp();
    return 2;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw new UsageError(usageText(error, argv));
  }
}

function loadCommand(name: CommandName): Promise<SealedCommand> {
  return COMMAND_LOADERS[name]();
}

/** Whether the texts of help are needed at all. */
function isHelpAsked(argv: readonly string[]): boolean {
  const ours = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  return ours.length === 0 || ours[0] === 'help' || ours.includes('--help') || ours.includes('-h');
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

/** Commander's message in one line, without what an argument may bring that is secret, and with what to try next. */
function usageText({ code, message }: CommanderError, argv: readonly string[]): string {
  const text = argv
    .reduce((line, word) => line.replaceAll(word, () => withoutValue(word)), message)
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
  return text.includes('Did you mean') ? text : `${text}: ${nextStep(code, text, argv)}`;
}

function nextStep(code: string, text: string, argv: readonly string[]): string {
  const [word] = argv;
  if (code === 'commander.unknownCommand') return 'mastra-lease --help lists the commands';
  if (word?.startsWith('-')) return 'options come after the command';
  if (/^unknown option '-[^-]/.test(text)) return 'a key that begins with a dash goes after --';
  return `mastra-lease ${word} --help tells what it takes`;
}

function withoutValue(word: string): string {
  return word.startsWith('-') ? word.replace(/=.*/s, '') : withoutSecrets(word);
}
