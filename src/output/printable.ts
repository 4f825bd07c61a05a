/** Makes text from outside safe to print in a sentence of ours; unlike a key's written form it need not be read back. */
export function printable(text: string): string {
  // Nearly always; the tables of Unicode take a start half a millisecond.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return codePoint <= 0xff
      ? `\\x${codePoint.toString(16).padStart(2, '0')}`
      : `\\u{${codePoint.toString(16)}}`;
  });
}
