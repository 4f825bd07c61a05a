/** A line of a file: its number, from 1, and its text; `undefined` where the bytes are no text. */
export interface Line {
  readonly number: number;
  readonly text: string | undefined;
}

/** The longest line that is read, in bytes: a file without line feeds must not fill the memory. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** Takes bytes apart into lines, as they come. What follows the last line feed is a line too, unless it is empty. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line, void, undefined> {
  let number = 1;
  let begun: Uint8Array[] = [];
  let length = 0;
  const take = (): Line => {
    const text = decode(begun);
    begun = [];
    length = 0;
    return { number: number++, text };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      begun.push(chunk.subarray(from, to));
      from = to + 1;
      yield take();
    }
    begun.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > maxBytes) {
      yield { number, text: undefined };
      return;
    }
  }
  if (length > 0) yield take();
}

function decode(bytes: readonly Uint8Array[]): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(bytes));
  } catch {
    return undefined;
  }
}
