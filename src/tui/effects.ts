import { isLeaseError } from '../lease/errors.js';
import type { KeyOutcome } from '../operations/outcome.js';
import { printable } from '../output/printable.js';
import type { TuiOptions } from './options.js';
import type { PlannedWrite } from './prompt.js';

/** What the state wants done outside, as data. */
export type Effect =
  | { readonly type: 'write'; readonly write: PlannedWrite }
  | { readonly type: 'export'; readonly path: string; readonly text: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'redraw' }
  | { readonly type: 'exit'; readonly exitCode: number };

/** What came of an effect. */
export type Answer =
  | { readonly type: 'written'; readonly outcome: KeyOutcome }
  | { readonly type: 'write-failed'; readonly write: PlannedWrite; readonly message: string }
  | { readonly type: 'noted'; readonly word: string; readonly text: string };

/** What effects work on. */
export interface EffectHost extends Pick<TuiOptions, 'actions' | 'exportView'> {
  readonly write: (text: string) => void;
  readonly redraw: () => void;
  readonly exit: (exitCode: number) => void;
}

/** Does what the state wants done, and answers what came of it. Never throws. */
export async function runEffect(effect: Effect, host: EffectHost): Promise<Answer | undefined> {
  switch (effect.type) {
    case 'write':
      return runWrite(effect.write, host);
    case 'export':
      return runExport(effect, host);
    case 'copy':
      host.write(clipboardSequence(effect.text));
      return undefined;
    case 'redraw':
      host.redraw();
      return undefined;
    case 'exit':
      host.exit(effect.exitCode);
      return undefined;
  }
}

async function runWrite(write: PlannedWrite, { actions }: EffectHost): Promise<Answer> {
  const { key, owner } = write.lease;
  try {
    const outcome =
      write.verb === 'transfer'
        ? await actions.transfer({ key, owner }, write.to)
        : await actions.release({ key, owner });
    return { type: 'written', outcome };
  } catch (error) {
    return { type: 'write-failed', write, message: messageOf(error) };
  }
}

async function runExport(
  { path, text }: Extract<Effect, { readonly type: 'export' }>,
  { exportView }: EffectHost,
): Promise<Answer> {
  try {
    await exportView(path, text);
    return { type: 'noted', word: 'exported', text: printable(path) };
  } catch (error) {
    return { type: 'noted', word: 'not written', text: messageOf(error) };
  }
}

/** Asks the terminal to put a text on the clipboard (OSC 52), which works through ssh too. */
function clipboardSequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return printable(String(error));
  const remedy = isLeaseError(error) && error.remedy !== undefined ? ` — ${error.remedy}` : '';
  return printable(`${error.message}${remedy}`);
}
