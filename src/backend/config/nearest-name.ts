import { escapeText } from '../../lease/text.js';

/** The known name that `name` was probably meant to be; `undefined` when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const written = plain(name);
  const [nearest] = known
    .map((candidate) => ({ candidate, away: distance(written, plain(candidate)) }))
    .sort((a, b) => a.away - b.away);
  return nearest && nearest.away <= Math.max(1, written.length / 3) && nearest.away < written.length
    ? nearest.candidate
    : known.find((candidate) => written.length >= 3 && plain(candidate).startsWith(written));
}

/** What to say after a name that is not known: the one that was probably meant, else which there are. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean ${escapeText(nearest)}?`;
  return known.length === 0 ? 'there are none' : `there are ${known.map(escapeText).join(', ')}`;
}

/** `key_prefix`, `KEY-PREFIX` and `keyPrefix` are one name to whoever mistypes it. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** How many characters must be put in, taken out, replaced or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(current, column - 1) + 1,
        at(last, column) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
