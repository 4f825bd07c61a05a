import { FILTER_FIELDS } from '../filter.js';
import { padText } from '../fit-text.js';
import { bindingsAt, type Words } from '../keymap.js';
import { type Canvas, Line, type Span } from './line.js';

interface HelpProps {
  readonly canvas: Canvas;
  readonly height: number;
  readonly isReplay: boolean;
}

const KEYS_WIDTH = 6;
const ENTRY_WIDTH = 29;

/** Every key and what it does, in as many columns as there is room for. */
export function Help({ canvas, height, isReplay }: HelpProps) {
  const entries = bindingsAt('table', isReplay).flatMap(({ help }) => (help ? [help] : []));
  const columns = Math.max(1, Math.floor(canvas.width / ENTRY_WIDTH));
  const rows = Math.ceil(entries.length / columns);
  const lines: readonly (readonly Span[])[] = [
    ...Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => entrySpans(entries[column * rows + row])).flat(),
    ),
    [],
    [{ text: ' filter  ', tone: 'strong' }, `words, ${FILTER_FIELDS.map((field) => `${field}:`).join(' ')}`],
    ['         all must be found, in any case of letters; words in the key or the owner'],
  ];
  return (
    <>
      {Array.from({ length: height }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the help is its place
        <Line key={line} canvas={canvas} spans={lines[line] ?? []} />
      ))}
    </>
  );
}

function entrySpans(entry: Words | undefined): readonly Span[] {
  if (!entry) return [];
  const [keys, words] = entry;
  return [
    { text: ` ${padText(keys, KEYS_WIDTH)}`, tone: 'strong' },
    ` ${padText(words, ENTRY_WIDTH - KEYS_WIDTH - 2)}`,
  ];
}
