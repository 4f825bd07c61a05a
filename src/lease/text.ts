/**
 * The written form of keys, owners and ids: what this tool prints can be typed back, and nothing it prints can move
 * a cursor or hide a character. Escaped are control, format, private and unassigned characters, halves of surrogate
 * pairs, every separator but the plain space, whatever Unicode says may be left undrawn, the backslash itself, and
 * U+FFFD, which otherwise stands for bytes that were lost.
 */

/** The result of {@link unescapeText}: the text, or what is wrong with it. */
export type UnescapeResult = { readonly text: string } | { readonly problem: string };

const PLAIN = /^[ -[\]-~]*$/;

const HALF_OF_A_PAIR = 'it has half of a surrogate pair, which UTF-8 cannot store';

/**
 * Writes any string so that {@link unescapeText} gives it back exactly, or refuses it where UTF-8 cannot store it.
 *
 * @example
 * ```ts
 * import { escapeText } from 'mastra-lease';
 *
 * escapeText('user-42\0t-1'); // => 'user-42\\0t-1'
 * escapeText('\u001b[31mred'); // => '\\x1b[31mred'
 * ```
 */
export function escapeText(text: string): string {
  // Nearly always; the tables of Unicode take a start half a millisecond.
  if (PLAIN.test(text)) return text;
  return text.replace(/[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\\\ufffd]--[ ]]/gv, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === '\\') return '\\\\';
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint === 0) return '\\0';
  return codePoint <= 0xff
    ? `\\x${codePoint.toString(16).padStart(2, '0')}`
    : `\\u{${codePoint.toString(16)}}`;
}

/**
 * Reads `\0` (always NUL, whatever digit follows), `\xHH` (the code point U+00HH), `\u{…}` and `\\`. Any other
 * backslash sequence is a problem, never a guess.
 *
 * @example
 * ```ts
 * import { unescapeText } from 'mastra-lease';
 *
 * unescapeText('user-42\\0t-1'); // => { text: 'user-42\0t-1' }
 * 'problem' in unescapeText('C:\\temp'); // => true
 * ```
 */
export function unescapeText(written: string): UnescapeResult {
  let problem: string | undefined;
  const text = written.replace(
    /\\(?:(\\)|(0)|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|(.?))/gsu,
    (sequence: string, backslash?: string, nul?: string, hex?: string, unicode?: string) => {
      if (backslash !== undefined) return '\\';
      if (nul !== undefined) return '\0';
      const codePoint = Number.parseInt(hex ?? unicode ?? '', 16);
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) problem ??= HALF_OF_A_PAIR;
      if (codePoint <= 0x10ffff) return String.fromCodePoint(codePoint);
      problem ??= `expected \\0, \\xHH, \\u{…} or \\\\ after a backslash, got "\\${escapeText(sequence.slice(1))}"`;
      return sequence;
    },
  );
  if (problem !== undefined) return { problem };
  return text.isWellFormed() ? { text } : { problem: HALF_OF_A_PAIR };
}
