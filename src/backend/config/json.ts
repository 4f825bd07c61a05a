const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** A text as JSON, or where it stops being that: line and column, from 1. */
export type JsonReading = { readonly value: unknown } | { readonly line: number; readonly column: number };

/** Reads JSON. Why a text is none is never told in the engine's words: they quote the text, which may hold a password. */
export function readJson(text: string): JsonReading {
  const json = text.replace(/^\uFEFF/, '');
  try {
    return { value: JSON.parse(json) };
  } catch {
    const before = json.slice(0, new Scan(json).failureAt()).split('\n');
    return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  }
}

/** Deeper than any config, and no deeper than the call stack goes. */
const MAX_DEPTH = 500;

/** Follows the grammar of JSON up to the first place where it is broken, or nested too deep. */
class Scan {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  failureAt(): number {
    if (this.#value()) this.#take(SPACE);
    return this.#at;
  }

  #value(): boolean {
    this.#take(SPACE);
    switch (this.#text[this.#at]) {
      case '{':
        return this.#items('}', () => this.#string() && this.#character(':') && this.#value());
      case '[':
        return this.#items(']', () => this.#value());
      case '"':
        return this.#string();
      default:
        return this.#take(SCALAR);
    }
  }

  #items(end: string, item: () => boolean): boolean {
    if (this.#depth === MAX_DEPTH) return false;
    this.#depth += 1;
    this.#at += 1;
    const isWhole = this.#character(end) || (this.#someItems(item) && this.#character(end));
    this.#depth -= 1;
    return isWhole;
  }

  #someItems(item: () => boolean): boolean {
    do {
      if (!item()) return false;
    } while (this.#character(','));
    return true;
  }

  #string(): boolean {
    this.#take(SPACE);
    return this.#take(STRING);
  }

  #character(wanted: string): boolean {
    this.#take(SPACE);
    if (this.#text[this.#at] !== wanted) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}
