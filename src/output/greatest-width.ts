/**
 * How many columns a line of ours takes at most, colours left out: terminals disagree on what is not ASCII. A package that
 * knows better takes longer to load than the answer takes.
 */
export function greatestWidth(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape of our own colour codes
  const text = line.replace(/\u001b\[[\d;]*m/g, '');
  return [...text].reduce((sum, character) => sum + (character < '\u0080' ? 1 : 2), 0);
}
