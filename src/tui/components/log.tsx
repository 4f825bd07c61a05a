import { formatInstant } from '../../output/durations.js';
import type { LogEntry } from '../event-log.js';
import { padText, widthOf } from '../fit-text.js';
import { entryText } from '../log-text.js';
import { type Canvas, Line, type Span } from './line.js';

interface LogProps {
  readonly canvas: Canvas;
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  readonly height: number;
}

/** The last things that happened, the newest on top. */
export function Log({ canvas, entries, height }: LogProps) {
  const shown = entries.slice(-height).reverse();
  const lines = Array.from({ length: height }, (_, line) => shown[line]);
  return (
    <>
      {lines.map((entry, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the log is its place
        <Line key={line} canvas={canvas} spans={entry ? entrySpans(entry, canvas.width) : []} />
      ))}
    </>
  );
}

const TIME_FROM = 60;
const WORD_WIDTH = 11;

/** An entry as a line: when, what, to what, and who; among others about the same lease, not to what. */
export function entrySpans(entry: LogEntry, width: number, isAmongItsOwn = false): readonly Span[] {
  const { word, tone, subject, detail } = entryText(entry);
  const at = formatInstant(entry.atMs);
  const time = width > TIME_FROM ? at.slice(11, 23) : at.slice(11, 19);
  const start: readonly Span[] = [
    { text: ` ${time}  `, tone: 'dim' },
    { text: padText(word, WORD_WIDTH), tone },
  ];
  if (isAmongItsOwn) return [...start, `  ${detail === '' ? subject : detail}`];
  const subjectWidth = Math.floor((width - time.length - WORD_WIDTH - 5) * 0.4);
  const isAligned = detail !== '' && widthOf(subject) <= subjectWidth;
  return [
    ...start,
    `  ${isAligned ? padText(subject, subjectWidth) : subject}`,
    ...(detail === '' ? [] : [`  ${detail}`]),
  ];
}
