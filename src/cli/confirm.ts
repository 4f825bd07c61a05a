import type { SeenLease } from '../lease/inspector.js';
import { escapeText } from '../lease/text.js';
import { cautionFor } from '../operations/cautions.js';
import type { KeyVerb } from '../operations/outcome.js';
import type { ConfirmHolders } from '../operations/shown-holder.js';
import { formatDuration, formatRemaining } from '../output/durations.js';
import { describeKey } from '../output/key-words.js';
import { THREAD_CAUTION } from '../output/note-text.js';
import { placeText } from '../output/source-text.js';
import type { Theme } from '../output/theme.js';
import type { CliIo } from './io.js';
import type { ForceOptions } from './options.js';
import type { Session } from './session.js';
import { UsageError } from './usage-error.js';

/** Refuses `--force` before anything is opened where nobody can be asked and nobody said yes. */
export function assertCanAsk(io: CliIo, { force, yes, dryRun }: ForceOptions): void {
  if (!force || yes || dryRun || canAsk(io)) return;
  throw new UsageError('Expected --yes with --force: there is no terminal to ask on');
}

function canAsk(io: CliIo): boolean {
  return io.isTerminal.stdin && io.isTerminal.stderr;
}

/** What the write will make of the lease, for the question. */
export interface Change {
  readonly to?: string | undefined;
  readonly ttlMs?: number;
}

/** Shows the holders, with the backend they are on, and asks on the terminal unless `--yes` was given. */
export function confirmHolders(
  session: Session,
  verb: KeyVerb,
  { yes }: ForceOptions,
  change: Change = {},
): ConfirmHolders {
  return async (holders) => {
    const { printer, budget, context, io } = session;
    for (const holder of holders) await printer.warn(`holder: ${describeHolder(holder)}`, !yes);
    if (holders.some(({ key }) => cautionFor(key, verb).length > 0)) {
      await printer.warn(`caution: ${THREAD_CAUTION[verb]}`, !yes);
    }
    if (yes) return true;
    const what = `${holders.length === 1 ? 'this lease' : `these ${holders.length} leases`}${describeChange(change)}`;
    const where = placeText(context.backend.source());
    try {
      return await ask(io, `${verb} ${what} on ${where}?`, printer.talkTheme);
    } finally {
      budget.restart();
    }
  };
}

function describeChange({ to, ttlMs }: Change): string {
  const receiver = to === undefined ? '' : ` to ${escapeText(to)}`;
  return ttlMs === undefined ? receiver : `${receiver} for ${formatDuration(ttlMs)} from now`;
}

/** How long the terminal is listened to before a question, for keys that were typed before it could be read. */
const TYPED_AHEAD_MS = 50;

/** Asks for a yes. Keys typed before the question do not answer it, and the end of the input is a no. */
async function ask(io: CliIo, message: string, theme: Theme): Promise<boolean> {
  const { stdin } = io.terminal;
  await discardTypedAhead(stdin);
  const { default: confirm } = await import('@inquirer/confirm');
  const ended = new AbortController();
  const onData = (data: Buffer | string) => {
    if (data.toString().includes(END_OF_INPUT)) ended.abort();
  };
  const onEnd = () => ended.abort();
  stdin.on('data', onData);
  stdin.once('end', onEnd);
  try {
    return await confirm(
      { message, default: false, theme: promptTheme(theme) },
      { input: stdin, output: io.stderr, signal: ended.signal },
    );
  } catch (error) {
    if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name)) return false;
    throw error;
  } finally {
    stdin.off('data', onData);
    stdin.off('end', onEnd);
  }
}

/** Ctrl-D. */
const END_OF_INPUT = '\u0004';

async function discardTypedAhead(stdin: CliIo['terminal']['stdin']): Promise<void> {
  const ignore = () => {};
  stdin.setRawMode(true);
  stdin.on('data', ignore);
  await new Promise((resolve) => setTimeout(resolve, TYPED_AHEAD_MS));
  stdin.off('data', ignore);
  stdin.pause();
  stdin.setRawMode(false);
}

/** The prompt's colours by our own gate, which knows `--no-color` and looks at stderr. */
function promptTheme({ good, bad, dim, strong }: Theme) {
  return {
    prefix: { idle: strong('?'), done: good('✔') },
    // Called with more than the text, and a colour would print that too.
    style: {
      message: (text: string) => strong(text),
      answer: (text: string) => good(text),
      defaultAnswer: (text: string) => dim(`(${text})`),
      error: (text: string) => bad(text),
    },
  };
}

function describeHolder({ key, owner, remainingMs }: SeenLease): string {
  return `${describeKey(key)} is ${escapeText(owner)}'s (${formatRemaining(remainingMs)})`;
}
