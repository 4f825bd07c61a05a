const ESC = '\u001b[';

/** The other screen, without the cursor; a line that is too long is cut, not carried on; a paste is told from typing. */
const OPEN = `${ESC}?1049h${ESC}?25l${ESC}?7l${ESC}?2004h`;
const CLOSE = `${ESC}?2004l${ESC}?7h${ESC}?25h${ESC}?1049l`;
const CLEAR = `${ESC}H${ESC}2J`;

/** Around what a terminal should show at once, where it knows how to. */
const TOGETHER = `${ESC}?2026h`;
const TOGETHER_END = `${ESC}?2026l`;

/**
 * The whole of a terminal, drawn a frame at a time. A line that has changed is written whole, at its place: terminals
 * disagree on how wide some characters are, and a part of a line, written where we believe it belongs, would make a wrong
 * number out of the right digits.
 */
export class TerminalScreen {
  readonly #write: (text: string) => unknown;
  #shown: readonly string[] = [];
  #isOpen = false;

  constructor(write: (text: string) => unknown) {
    this.#write = write;
  }

  open(): void {
    this.#isOpen = true;
    this.#write(OPEN + CLEAR);
  }

  /** Shows a frame: lines of printable text and colours, none longer than the terminal is wide. */
  draw(frame: readonly string[]): void {
    if (!this.#isOpen) return;
    const height = Math.max(frame.length, this.#shown.length);
    let changes = '';
    for (let row = 0; row < height; row += 1) {
      const line = frame[row] ?? '';
      if (line !== this.#shown[row]) changes += `${ESC}${row + 1};1H${ESC}2K${line}`;
    }
    this.#shown = frame;
    if (changes !== '') this.#write(TOGETHER + changes + TOGETHER_END);
  }

  /** Forgets what is shown, so that the next frame is drawn whole. */
  clear(): void {
    if (!this.#isOpen) return;
    this.#shown = [];
    this.#write(CLEAR);
  }

  /** Gives the terminal back as it was; nothing is drawn any more. A second call does nothing. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#write(CLOSE);
  }
}
