import type { SeenLease } from '../lease/inspector.js';
import { escapeText } from '../lease/text.js';
import { cautionFor } from '../operations/cautions.js';
import type { KeyVerb } from '../operations/outcome.js';
import type { ConfirmHolders } from '../operations/shown-holder.js';
import { formatRemaining } from '../output/durations.js';
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

/** Shows the holders, with the backend they are on, and asks on the terminal unless `--yes` was given. */
export function confirmHolders(session: Session, verb: KeyVerb, { yes }: ForceOptions): ConfirmHolders {
  return async (holders) => {
    const { printer, budget, context, io } = session;
    for (const holder of holders) await printer.warn(`holder: ${describeHolder(holder)}`, !yes);
    if (holders.some(({ key }) => cautionFor(key, verb).length > 0)) {
      await printer.warn(`caution: ${THREAD_CAUTION[verb]}`, !yes);
    }
    if (yes) return true;
    const what = holders.length === 1 ? 'this lease' : `these ${holders.length} leases`;
    const where = placeText(context.backend.source());
    const { default: confirm } = await import('@inquirer/confirm');
    try {
      return await confirm(
        { message: `${verb} ${what} on ${where}?`, default: false, theme: promptTheme(printer.talkTheme) },
        { input: io.stdin, output: io.stderr },
      );
    } catch (error) {
      if (error instanceof Error && error.name === 'ExitPromptError') return false;
      throw error;
    } finally {
      budget.restart();
    }
  };
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
