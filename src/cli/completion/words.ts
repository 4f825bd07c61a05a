import { RootCommand } from '@bomb.sh/tab';
import { Command, type Option } from 'commander';
import { printerFor, type Run } from '../command.js';
import { COMMAND_NAMES, COMMANDS, type CommandName, isCommandName } from '../command-table.js';
import { TOPICS } from '../help/topics.js';
import type { CommonOptions } from '../options.js';
import { configContexts } from './contexts.js';
import { heldLeases } from './leases.js';
import { type Candidate, type ValueSource, valuesOfArgument, valuesOfOption } from './values.js';

/** A line that is being typed. */
export interface CompletionRequest {
  /** The words before the one at the cursor, after the program's name. */
  readonly before: readonly string[];
  /** The word at the cursor as far as it is typed. */
  readonly current: string;
  /** How a whole word is handed to the shell; `undefined` where it cannot be. */
  readonly reply: (word: string) => string | undefined;
}

/** What the shell is told when it is to complete the name of a file. */
const FILES = ':0';

/** Prints what may come at the cursor: a line each, `value` TAB `description`, and one that ends them. */
export async function printCompletions(run: Run, request: CompletionRequest): Promise<void> {
  const [name, ...words] = request.before;
  const root = new RootCommand();
  if (name === undefined) return completeCommand(root, request.current);
  if (name === 'help') {
    const summaries = [
      ...COMMAND_NAMES.map((known) => [known, COMMANDS[known]] as const),
      ...Object.entries(TOPICS),
    ];
    for (const [word, { summary }] of summaries) root.command(word, summary);
    return root.parse(words.length === 0 ? [request.current] : ['help', '']);
  }
  if (!isCommandName(name)) return root.parse(['']);
  const command = await declared(run, name);
  const tab = root.command(name, COMMANDS[name].summary);
  for (const option of command.options) if (!option.hidden) declareFlags(tab, option);
  tab.option('help', 'this help', 'h');
  const place = placeOf(command, name, words, request.current);
  if ('flag' in place) return root.parse([name, place.flag]);
  const { source, lead, typed, options } = place;
  if (source?.from === 'files') {
    run.io.stdout.write(`${FILES}\n`);
    return;
  }
  const candidates = source ? await candidatesOf(run, source, options) : [];
  const replies = candidates.flatMap(({ value, description }) => {
    const reply = value.startsWith(typed) ? request.reply(`${lead}${value}`) : undefined;
    return reply === undefined ? [] : [{ reply, description }];
  });
  tab.argument('value', (complete) => {
    for (const { reply, description } of replies) complete(reply, description);
  });
  root.parse([name, '']);
}

function completeCommand(root: RootCommand, typed: string): void {
  for (const name of COMMAND_NAMES) root.command(name, COMMANDS[name].summary);
  root.command('help', 'of a command, or on a topic');
  root.option('help', 'this help', 'h').option('version', 'the version', 'V');
  root.parse([typed]);
}

/** The command with its options, as it would be parsed; it is never run. */
async function declared(run: Run, name: CommandName): Promise<Command> {
  const silent = { writeOut: () => {}, writeErr: () => {} };
  const command = new Command(name).exitOverride().configureOutput(silent);
  (await run.loadCommand?.(name))?.attach(command, run, () => {});
  return command;
}

type TabCommand = ReturnType<RootCommand['command']>;

function declareFlags(tab: TabCommand, { long, short, description }: Option): void {
  if (long) tab.option(long.slice(2), description, short?.slice(1));
}

/** What is at the cursor: the name of a flag, or a value. */
type Place =
  | { readonly flag: string }
  | {
      readonly source: ValueSource | undefined;
      /** What stands before the value in its word: `--health=`. */
      readonly lead: string;
      readonly typed: string;
      readonly options: CommonOptions;
    };

function placeOf(command: Command, name: CommandName, words: readonly string[], current: string): Place {
  const isAfterDashes = words.includes('--');
  const assigned = isAfterDashes ? undefined : /^(--[a-z-]+)=(.*)$/s.exec(current);
  const last = isAfterDashes ? undefined : words.at(-1);
  const pending = command.options.find(
    ({ long, short, required }) => required && last !== undefined && [long, short].includes(last),
  );
  const before = pending ? words.slice(0, -1) : words;
  const { operands, options } = parsed(command, before);
  if (assigned) {
    const [, flag = '', typed = ''] = assigned;
    return { source: valuesOfOption(flag), lead: `${flag}=`, typed, options };
  }
  if (pending?.long) return { source: valuesOfOption(pending.long), lead: '', typed: current, options };
  if (!isAfterDashes && current.startsWith('-')) return { flag: current };
  if (name === 'exec' && operands.length > 0)
    return { source: { from: 'files' }, lead: '', typed: current, options };
  return { source: valuesOfArgument(name, current), lead: '', typed: current, options };
}

/** What was typed before, as far as it can be understood. */
function parsed(
  command: Command,
  words: readonly string[],
): { operands: readonly string[]; options: CommonOptions } {
  try {
    const { operands } = command.parseOptions([...words]);
    return { operands, options: command.opts<CommonOptions>() };
  } catch {
    return { operands: [], options: command.opts<CommonOptions>() };
  }
}

async function candidatesOf(
  { io }: Run,
  source: ValueSource,
  options: CommonOptions,
): Promise<readonly Candidate[]> {
  const printer = printerFor(io, { quiet: true, color: false, introspect: false });
  switch (source.from) {
    case 'words':
      return source.candidates;
    case 'contexts':
      return configContexts(io, printer, options);
    case 'leases': {
      const leases = await heldLeases(io, printer, options);
      return leases.flatMap((lease) => source.read(lease) ?? []);
    }
    case 'files':
      return [];
  }
}
