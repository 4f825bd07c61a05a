import type { BackendSource } from '../../lease/backend.js';
import { escapeText } from '../../lease/text.js';
import { cautionFor } from '../../operations/cautions.js';
import type { KeyOutcome } from '../../operations/outcome.js';
import { formatDuration } from '../../output/durations.js';
import { describeKey } from '../../output/key-words.js';
import { noteText } from '../../output/note-text.js';
import type { Theme } from '../../output/theme.js';
import { cutText, cutTextStart, widthOf, wrapText } from '../fit-text.js';
import { confirmationOf, leaseOf, type PlannedWrite, type Prompt, type WritePrompt } from '../prompt.js';
import { placeText } from './header.js';
import { type Canvas, Line, type Span } from './line.js';
import { CURSOR, escapeTyped } from './status.js';

interface WriteDialogProps {
  readonly canvas: Canvas;
  readonly height: number;
  readonly prompt: WritePrompt;
  readonly source: BackendSource;
  readonly transferTtlMs: number;
  /** Who has the lease by now; `undefined` when nobody does. */
  readonly ownerNow: string | undefined;
}

/** What would be sent, where to, what it can cause, and what to type for it to be sent. */
export function WriteDialog(props: WriteDialogProps) {
  const { canvas, height, prompt } = props;
  const lines = prompt.kind === 'confirm' ? confirmLines(props, prompt.write) : ownerLines(props);
  return (
    <>
      {Array.from({ length: height }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the dialog is its place
        <Line key={line} canvas={canvas} spans={lines[line] ?? []} />
      ))}
    </>
  );
}

const NAME_WIDTH = 10;

function ownerLines({ canvas, prompt }: WriteDialogProps): readonly (readonly Span[])[] {
  const lease = leaseOf(prompt);
  return [
    [{ text: ' TRANSFER  ', tone: 'strong' }, describeKey(lease.key)],
    ...fact('from', escapeText(lease.owner), canvas.width),
    [],
    ...typing(' to the owner: ', prompt, canvas.width),
    [],
    [{ text: ' as it is written: \\0 is NUL, \\\\ a backslash', tone: 'dim' }],
  ];
}

function confirmLines(
  { canvas, height, prompt, source, transferTtlMs, ownerNow }: WriteDialogProps,
  write: PlannedWrite,
): readonly (readonly Span[])[] {
  const { verb, lease } = write;
  const { width } = canvas;
  const holder = fact(verb === 'transfer' ? 'from' : 'owner', escapeText(lease.owner), width);
  const what = [
    [{ text: ` ${verb.toUpperCase()}  `, tone: 'strong' } as const, describeKey(lease.key)],
    ...holder,
    ...(write.verb === 'transfer'
      ? fact('to', `${escapeText(write.to)}   for ${formatDuration(transferTtlMs)}`, width)
      : []),
    ...fact('on', placeText(source), width),
    ...condition(lease.owner, ownerNow, width),
    ...cautions(write, source, width),
  ];
  const word = confirmationOf(write, source.scope);
  const asked = typing(` type ${word} to confirm: `, prompt, width);
  return [...fitting(what, height - asked.length), ...asked];
}

/** As many lines as there is room for; that some are missing is told, and an empty line follows where there is room. */
function fitting(lines: readonly (readonly Span[])[], room: number): readonly (readonly Span[])[] {
  if (lines.length < room) return [...lines, []];
  if (lines.length === room) return lines;
  return [...lines.slice(0, room - 1), [{ text: '   … a larger terminal shows the rest', tone: 'warn' }]];
}

/** Compare-and-set: what it depends on, and that it would come to nothing where that is known by now. */
function condition(owner: string, ownerNow: string | undefined, width: number): readonly (readonly Span[])[] {
  if (ownerNow === owner) return fact('if', "it is still that owner's, else nothing changes", width);
  const now = ownerNow === undefined ? 'nobody holds it' : `it is ${escapeText(ownerNow)}'s`;
  return fact('but', `${now} by now: nothing would change`, width, 'bad');
}

function cautions(
  { verb, lease }: PlannedWrite,
  source: BackendSource,
  width: number,
): readonly (readonly Span[])[] {
  const { key } = lease;
  const notes = cautionFor(key, verb);
  const status = verb === 'transfer' ? 'transferred' : 'released';
  const plan: KeyOutcome = { verb, status, key, dryRun: true, atMs: 0, notes, source };
  return notes
    .flatMap((note) => wrapText(`caution: ${noteText(note, plan)}`, width - 4))
    .map((line) => [{ text: `   ${line}`, tone: 'warn' }]);
}

/** A name and a text beside it, in two lines at most. */
function fact(name: string, text: string, width: number, tone?: keyof Theme): readonly (readonly Span[])[] {
  const room = width - NAME_WIDTH - 4;
  const lines = wrapText(text, room);
  const [first = '', second = ''] = lines;
  const shown = lines.length > 2 ? [first, `${cutText(second, room - 1)}…`] : lines;
  return shown.map((line, index) => [
    { text: `   ${(index === 0 ? name : '').padEnd(NAME_WIDTH)}`, tone: 'dim' },
    { text: line, tone },
  ]);
}

function typing(label: string, { text, problem }: Prompt, width: number): readonly (readonly Span[])[] {
  const room = Math.max(8, width - widthOf(label) - 1);
  return [
    [{ text: label, tone: 'strong' }, cutTextStart(escapeTyped(text), room), CURSOR],
    ...(problem === undefined ? [] : [[{ text: ` ${problem}`, tone: 'warn' } as const]]),
  ];
}
