/** Puts a text between the two marks of a part that is generated. */
export function withGeneratedPart(document: string, part: string, text: string): string {
  const [before, rest] = halves(document, `<!-- generated: ${part} -->`);
  const [, after] = halves(rest, `<!-- end: ${part} -->`);
  return `${before}<!-- generated: ${part} -->\n\n${text}\n\n<!-- end: ${part} -->${after}`;
}

/** The text between the two marks of a part. */
export function generatedPart(document: string, part: string): string {
  const [, rest] = halves(document, `<!-- generated: ${part} -->`);
  return halves(rest, `<!-- end: ${part} -->`)[0].trim();
}

/** A table as Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function halves(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`The document has no ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
