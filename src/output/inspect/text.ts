import { threadKey } from '../../lease/key.js';
import { escapeText } from '../../lease/text.js';
import type { Verdict } from '../../lease/verdict.js';
import type { Inspected, Inspection, UnfoundThread } from '../../operations/inspect/inspect.js';
import { nextCommand } from '../command-line.js';
import { formatDuration, formatInstant } from '../durations.js';
import { greatestWidth } from '../greatest-width.js';
import { describeKey } from '../key-words.js';
import { noteText } from '../note-text.js';
import { printable } from '../printable.js';
import { placeText } from '../source-text.js';
import type { Theme } from '../theme.js';
import { type FactRow, factRows } from './rows.js';
import { filledLinks, type InspectSetting, type StepWords, stepWords } from './steps.js';

/** What a screen is laid out for. */
export interface InspectView extends InspectSetting {
  readonly theme: Theme;
  /** How wide it may be; `Infinity` breaks no line. */
  readonly columns: number;
  /** Whether the screen itself says where the answer came from. */
  readonly isSourceShown: boolean;
}

const INDENT = '  ';
const NAME_WIDTH = 10;
const SEPARATOR = ' · ';

/** Everything about a key as the lines of one screen: what is known, the verdict, and what to do about it. */
export function inspectLines(inspected: Inspected, view: InspectView): readonly string[] {
  return [
    ...titleLines(inspected, view),
    ...noteLines(inspected).map((note) => `${INDENT}${view.theme.dim(note)}`),
    '',
    ...(inspected.key === undefined ? unfoundRows(inspected) : factRows(inspected)).flatMap((row) =>
      rowLines(row, view),
    ),
    ...verdictLines(inspected, view),
    ...(inspected.key === undefined ? unfoundSteps(inspected, view) : nextLines(inspected, view)),
  ];
}

/** What is to be known of an answer. */
export function noteLines({ key, notes, caveats, atMs, source }: Inspected): readonly string[] {
  const outcome = {
    verb: 'owner',
    status: 'free',
    notes,
    atMs,
    source,
    ...(key !== undefined && { key }),
  } as const;
  return [...notes, ...caveats].map((note) => noteText(note, outcome));
}

const VERDICT_COLOUR: Record<Verdict, keyof Theme> = {
  doubled: 'bad',
  orphaned: 'bad',
  lapsed: 'bad',
  'no-expiry': 'bad',
  late: 'warn',
  disputed: 'warn',
  silent: 'warn',
  unknown: 'warn',
  unseen: 'warn',
  parked: 'good',
  working: 'good',
  free: 'strong',
};

/** A verdict as it is shown: always a word, and in colour where there is any. */
export function verdictWord(verdict: Verdict, theme: Theme): string {
  return theme[VERDICT_COLOUR[verdict]](verdict.toUpperCase());
}

/** The key, and on the right, or below where there is no room, where and when this was seen. */
function titleLines(inspected: Inspected, view: InspectView): readonly string[] {
  const { theme, columns } = view;
  const words =
    inspected.key === undefined ? `thread ${escapeText(inspected.thread)}` : describeSubject(inspected);
  const title = theme.strong(words);
  if (!view.isSourceShown) return [title];
  const place = `${placeText(inspected.source)}${SEPARATOR}${toSeconds(inspected.atMs)}`;
  const gap = columns - widthOf(words) - widthOf(place);
  const isRoom = gap >= 2 && Number.isFinite(gap);
  return isRoom ? [`${title}${' '.repeat(gap)}${theme.dim(place)}`] : [title, theme.dim(place)];
}

/** What an inspection is about in words; bytes that are no text in hex. */
export function describeSubject({ key, facts: { lease } }: Inspection): string {
  return lease?.keyHex === undefined ? describeKey(key) : `hex:${lease.keyHex}`;
}

function verdictLines({ judgement, atMs }: Inspected, view: InspectView): readonly string[] {
  const { verdict, why, cannotTellForMs } = judgement;
  const words = [verdictWord(verdict, view.theme), '', ...printable(why).split(' ')];
  const lines = rowLines(['verdict', words], view, ' ');
  if (cannotTellForMs === undefined) return lines;
  const until = `cannot tell before ${toSeconds(atMs + cannotTellForMs)} (in ${formatDuration(cannotTellForMs)}): until then a dead holder looks like a live one`;
  return [...lines, ...rowLines(['', until.split(' ')], view, ' ')];
}

function nextLines(inspection: Inspection, view: InspectView): readonly string[] {
  const steps = stepWords(inspection, view);
  const links = filledLinks(inspection, view).filter(
    ([name, link]) => name !== 'run' || !steps.some((step) => step.link === link),
  );
  const width = Math.max(...steps.map(({ title }) => title.length), 0);
  return [
    ...(steps.length + links.length > 0 ? [''] : []),
    ...steps.flatMap((step, index) => stepLines(step, index, width, view)),
    ...links.flatMap(([name, link], index) =>
      rowLines([index === 0 ? 'links' : '', [`${escapeText(name)}  ${link}`]], view),
    ),
  ];
}

/** What is to be copied is never broken: the terminal does that where it must. */
function stepLines(
  { title, command, request, link, text, note, beware }: StepWords,
  index: number,
  width: number,
  { theme }: InspectView,
): readonly string[] {
  const name = index === 0 ? 'next' : '';
  const sent =
    request && [request.method, request.path, ...(request.body ? ['', request.body] : [])].join(' ');
  const what = command ?? sent ?? link ?? text ?? '';
  const indent = `${INDENT}${name.padEnd(6)}${index + 1}   `;
  return [
    `${indent}${title.padEnd(width)}   ${what}${note === undefined ? '' : `   ${theme.dim(`(${note})`)}`}`,
    ...(beware === undefined
      ? []
      : [`${' '.repeat(indent.length)}${theme.warn('beware'.padEnd(width))}   ${theme.dim(beware)}`]),
  ];
}

function unfoundRows({ thread }: UnfoundThread): readonly FactRow[] {
  return [['lease', [`no held lease has the thread id ${escapeText(thread)}`]]];
}

/** With its resource, a thread is found whether anybody holds it or not. */
function unfoundSteps({ thread }: UnfoundThread, view: InspectView): readonly string[] {
  const command = nextCommand('inspect', view.typed, threadKey({ resource: 'RESOURCE', thread }));
  return ['', ...stepLines({ kind: 'search', title: 'name its resource', command }, 0, 0, view)];
}

/** A row under its name, broken between its parts where it would be too wide. */
function rowLines(
  [name, parts]: FactRow,
  { columns, theme }: InspectView,
  separator: string = SEPARATOR,
): readonly string[] {
  const room = columns - INDENT.length - NAME_WIDTH;
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    const longer = line === undefined ? part : `${line}${separator}${part}`;
    if (line === undefined || widthOf(longer) > room) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines.map(
    (line, index) => `${INDENT}${theme.dim((index === 0 ? name : '').padEnd(NAME_WIDTH))}${line}`,
  );
}

function toSeconds(atMs: number): string {
  return formatInstant(atMs).replace(/\.\d+Z$/, 'Z');
}

/** Our own dots are narrow almost everywhere; where they are not, a line is carried on by the terminal. */
function widthOf(text: string): number {
  return greatestWidth(text.replaceAll('·', '.'));
}
