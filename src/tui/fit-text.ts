import stringWidth from 'string-width';

/**
 * Texts of which each code unit is one cell: ASCII, and what bars, rules and marks are made of. Most lines are such, and
 * to measure any other takes a hundred times as long. In order: `·×–…→∞`, lines and blocks from `─` to `▟`, `▴▸▾⏎`.
 */
const PLAIN = /^[ -~\u00b7\u00d7\u2013\u2026\u2192\u221e\u2500-\u259f\u25b4\u25b8\u25be\u23ce]*$/;

/** More code units than anything that is drawn in a cell needs: a longer cluster is a tower of marks. */
const LONGEST_CLUSTER = 8;

const segmenter = new Intl.Segmenter();

/** The width of a text in cells of the terminal. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** A text in at most `width` cells; what is cut away is told by an ellipsis. */
export function cutText(text: string, width: number): string {
  if (width <= 0) return '';
  if (PLAIN.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  let used = 0;
  let kept = '';
  let keptBeforeEnd = '';
  for (const { segment } of segmenter.segment(text)) {
    const cluster = segment.length > LONGEST_CLUSTER ? '\ufffd' : segment;
    used += widthOf(cluster);
    if (used > width) return `${keptBeforeEnd}…`;
    kept += cluster;
    if (used < width) keptBeforeEnd = kept;
  }
  return kept;
}

/** A text in exactly `width` cells, at their start. */
export function padText(text: string, width: number): string {
  const cut = cutText(text, width);
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

/** A text in exactly `width` cells, at their end. */
export function padTextStart(text: string, width: number): string {
  const cut = cutText(text, width);
  return ' '.repeat(Math.max(0, width - widthOf(cut))) + cut;
}

/** The end of a text in at most `width` cells: where something is typed, the end is what matters. */
export function cutTextStart(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const clusters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  let kept = '';
  for (const cluster of clusters.reverse()) {
    if (widthOf(cluster + kept) >= width) break;
    kept = cluster + kept;
  }
  return `…${kept}`;
}

/** A text in lines of at most `width` cells, broken at spaces where there are any. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (widthOf(line) > width) {
      const [first, rest] = split(line, width);
      lines.push(first);
      line = rest;
    }
  }
  return [...lines, line];
}

function split(text: string, width: number): readonly [string, string] {
  let used = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    used += widthOf(segment);
    if (used > width && index > 0) return [text.slice(0, index), text.slice(index)];
  }
  return [text, ''];
}
