/** How wide help is where no terminal says otherwise, in columns. */
export const HELP_COLUMNS = 80;

const INDENT = 2;
const GAP = 2;
/** The widest first column that others are lined up with. */
const WIDEST = 24;

/** Rows of a term and its meaning, lined up and wrapped. A term that is too long has its meaning on the next line. */
export function columns(rows: readonly (readonly string[])[], width: number = HELP_COLUMNS): string {
  const longest = Math.max(...rows.map(([term = '']) => term.length));
  const at = INDENT + Math.min(longest, WIDEST) + GAP;
  return rows
    .map(([term = '', meaning = '']) => {
      const lines = wrap(meaning, width - at);
      const first = `${' '.repeat(INDENT)}${term}`;
      const head = first.length + GAP <= at ? `${first.padEnd(at)}${lines.shift() ?? ''}` : first;
      return [head, ...lines.map((line) => `${' '.repeat(at)}${line}`)].join('\n');
    })
    .join('\n');
}

/** A text in lines of at most `width` characters, broken at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
