import { Readable } from 'node:stream';

const PASTE = '\u001b[200~';
const PASTE_END = '\u001b[201~';
const CTRL_C = '\u0003';

/** A paste of which nothing more comes for so long is over, in milliseconds. */
const PASTE_SILENCE_MS = 1_000;

/**
 * The keys of a terminal, as Ink reads them. Ink holds back whatever follows the start of a paste until its end is there,
 * every key included; where the end never comes (a link that was cut, a file that was shown) it is put in here: after a
 * while of silence, and before a Ctrl-C at once.
 */
export class KeyStream extends Readable {
  readonly isTTY = true;
  readonly #terminal: NodeJS.ReadStream;
  #isPasting = false;
  /** The end of what came, in which the first part of a mark may be. */
  #tail = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(terminal: NodeJS.ReadStream) {
    super({ encoding: 'utf8' });
    this.#terminal = terminal;
    terminal.setEncoding('utf8');
  }

  /** Takes the keys of the terminal from when it is raw until it is not any more. */
  setRawMode(isRaw: boolean): this {
    clearTimeout(this.#timer);
    this.#terminal.off('data', this.#take);
    if (isRaw) this.#terminal.on('data', this.#take).resume();
    else this.#terminal.pause();
    this.#terminal.setRawMode(isRaw);
    return this;
  }

  ref(): void {
    this.#terminal.ref();
  }

  unref(): void {
    this.#terminal.unref();
  }

  /** Keys come when they are pressed. */
  override _read(): void {}

  readonly #take = (text: string): void => {
    clearTimeout(this.#timer);
    // As a part of a paste it would not come alone.
    if (this.#isPasting && text.replaceAll(CTRL_C, '') === '') this.#endPaste();
    const seen = this.#tail + text;
    const [start, end] = [seen.lastIndexOf(PASTE), seen.lastIndexOf(PASTE_END)];
    if (start !== end) this.#isPasting = start > end;
    this.#tail = seen.slice(1 - PASTE.length);
    this.push(text);
    if (this.#isPasting) this.#timer = setTimeout(() => this.#endPaste(), PASTE_SILENCE_MS);
  };

  #endPaste(): void {
    this.#isPasting = false;
    this.#tail = '';
    this.push(PASTE_END);
  }
}
