import { type Command, Option } from 'commander';
import { suggestion } from '../../backend/config/nearest-name.js';
import { COMMAND_NAMES, type CommandName, isCommandName } from '../command-table.js';
import { UsageError } from '../usage-error.js';
import { columns, HELP_COLUMNS, wrap } from './columns.js';
import { COMMAND_HELP, type Example } from './command-help.js';
import { isTopicName, TOPICS } from './topics.js';
import type { VariableName } from './variables.js';

/** What `help` was asked for: the text of a topic, or arguments that ask for the help of a command or of all. */
export type HelpRequest = { readonly text: string } | { readonly argv: readonly string[] };

/**
 * Reads `help`, `help <command>` and `help <topic>`; `undefined` for any other command.
 *
 * @throws {@link UsageError} for what is neither.
 */
export function readHelpCommand([first, word, ...others]: readonly string[]): HelpRequest | undefined {
  if (first !== 'help') return undefined;
  if (word === undefined || word === '--help' || word === '-h') return { argv: ['--help'] };
  if (others.length > 0) throw new UsageError('Expected help and one word, got several');
  if (isTopicName(word)) return { text: TOPICS[word].text() };
  if (isCommandName(word)) return { argv: [word, '--help'] };
  const known = [...COMMAND_NAMES, ...Object.keys(TOPICS)];
  throw new UsageError(`There is no command and no topic of that name: ${suggestion(word, known)}`);
}

/** Says on the program's own help what is not said by its list of commands. */
export function describeProgram(program: Command): void {
  program
    .usage('<command> [options]')
    .addHelpOption(new Option('-h, --help', 'this help, or that of a command'))
    .description('See and move the leases that elect the owner of a Mastra agent thread.')
    .addHelpText('after', () => {
      const width = widthOf(program);
      const topics = Object.entries(TOPICS).map(([name, { summary }]) => [`help ${name}`, summary]);
      return [
        '',
        'More:',
        columns(
          [['help <command>', 'or <command> --help: its options, examples and exit codes'], ...topics],
          width,
        ),
        '',
        'To begin with:',
        '  mastra-lease demo                 what this is about, without any setup',
        '  mastra-lease owner thread:abc     who holds the thread abc?',
      ].join('\n');
    });
}

/** The variables that matter to every command that finds a backend. */
const NAMING_A_BACKEND: readonly VariableName[] = [
  'MASTRA_LEASE_BACKEND',
  'MASTRA_LEASE_CONTEXT',
  'MASTRA_LEASE_KEY_PREFIX',
  'REDIS_URL',
];

/** Says on a command's help what its options do not: what it is for, examples, variables and exit codes. */
export function describeCommand(command: Command, name: CommandName): void {
  const { about, examples, variables, hasOwnBackend, exitCodes } = COMMAND_HELP[name];
  command.addHelpOption(new Option('-h, --help', 'this help').helpGroup('Output:'));
  command.description(about).addHelpText('after', () => {
    const width = widthOf(command);
    const codes = Object.entries(exitCodes).map(([code, meaning]) => [code.padStart(3), meaning]);
    return [
      '',
      'Examples:',
      examples.map(exampleText).join('\n'),
      '',
      'Exit codes:',
      columns([...codes, ['  …', 'any other: mastra-lease help exit-codes']], width),
      ...environmentLines([...variables, ...(hasOwnBackend ? [] : NAMING_A_BACKEND)], width),
    ].join('\n');
  });
}

function environmentLines(variables: readonly VariableName[], width: number): readonly string[] {
  if (variables.length === 0) return [];
  const lines = wrap(`${variables.join(', ')}: mastra-lease help environment`, width - 2);
  return ['', 'Environment:', ...lines.map((line) => `  ${line}`)];
}

function exampleText({ what, command }: Example): string {
  return `  # ${what}\n  ${command}`;
}

function widthOf(command: Command): number {
  return command.configureOutput().getOutHelpWidth?.() ?? HELP_COLUMNS;
}
