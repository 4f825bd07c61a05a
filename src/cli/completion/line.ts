/** A command line up to the cursor, read as bash would: words without quotes, and how the last one is being written. */
export interface BashLine {
  /** The words before the one at the cursor, the program first. */
  readonly words: readonly string[];
  /** The word at the cursor as far as it is typed. */
  readonly current: string;
  /** What bash puts in place of what it replaces, so that the whole word is this one; `undefined` where it cannot be written. */
  readonly reply: (word: string) => string | undefined;
}

type Quote = '' | "'" | '"';

interface Reading {
  readonly words: readonly string[];
  readonly current: string;
  readonly currentRaw: string;
  /** The quote that is still open. */
  readonly quote: Quote;
}

/** Nothing is expanded: a line is never run to complete it. `replaced` is the end of it that bash replaces (its `$2`). */
export function readBashLine(line: string, replaced: string): BashLine {
  const { words, current, currentRaw } = readWords(line);
  const kept = readWords(currentRaw.slice(0, Math.max(0, currentRaw.length - replaced.length)));
  return {
    words,
    current,
    reply: (word) => quoteIn(kept.quote, word.slice(kept.current.length)),
  };
}

function readWords(line: string): Reading {
  const words: string[] = [];
  let current = '';
  let startedAt: number | undefined;
  let quote: Quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const next = line[at + 1];
    if (quote === '' && /\s/.test(character)) {
      if (startedAt !== undefined) words.push(current);
      startedAt = undefined;
      current = '';
      continue;
    }
    startedAt ??= at;
    if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === '\\' && quote !== "'" && (quote === '' || /["\\$`]/.test(next ?? ''))) {
      current += next ?? '';
      at += 1;
    } else current += character;
  }
  return { words, current, currentRaw: startedAt === undefined ? '' : line.slice(startedAt), quote };
}

function quoteIn(quote: Quote, text: string): string | undefined {
  if (quote === "'") return text.replaceAll("'", "'\\''");
  // History is expanded in double quotes too, and a backslash before the mark would stay.
  if (quote === '"') return text.includes('!') ? undefined : text.replace(/["\\$`]/g, '\\$&');
  return text.replace(/[^\w./:=@%+,\u0080-\u{10ffff}-]/gu, '\\$&');
}
