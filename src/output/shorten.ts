import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/** An id in at most `width` cells of a terminal: ids differ at their ends as often as at their beginnings, so it is cut in the middle. */
export function shortenMiddle(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const clusters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const endWidth = Math.floor((width - 1) / 2);
  const end = fitting(clusters.toReversed(), endWidth).reverse();
  const start = fitting(clusters, width - 1 - stringWidth(end.join('')));
  return `${start.join('')}…${end.join('')}`;
}

/** The first of these that fit into `width` cells together. */
function fitting(clusters: readonly string[], width: number): string[] {
  const kept: string[] = [];
  let used = 0;
  for (const cluster of clusters) {
    used += stringWidth(cluster);
    if (used > width) break;
    kept.push(cluster);
  }
  return kept;
}
