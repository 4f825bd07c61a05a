import { greatestWidth } from '../../output/greatest-width.js';
import type { Terminal } from '../io.js';

const ESC = '\u001b';
const SAVE = `${ESC}7`;
const BACK = `${ESC}8`;
const CLEAR_BELOW = `${ESC}[J`;

/** Where lines are written in place. */
type Place = Pick<Terminal, 'write'> & {
  readonly stdout: Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'on' | 'off'>;
};

/**
 * Lines that are written over when they change, in the terminal's ordinary screen. Where they do not fit there, or its size
 * has changed and they may be anywhere, only those that are new are written, below.
 */
export class InPlace implements Disposable {
  readonly #place: Place;
  #shown: readonly string[] | undefined;
  #isMovable: boolean;

  /** `isMovable`: whether the terminal can go back to where it was. */
  constructor(place: Place, isMovable: boolean) {
    this.#place = place;
    this.#isMovable = isMovable;
    place.stdout.on('resize', this.#onResize);
  }

  show(lines: readonly string[]): void {
    const shown = this.#shown;
    if (shown?.length === lines.length && shown.every((line, index) => line === lines[index])) return;
    this.#shown = lines;
    const height = lines.reduce((sum, line) => sum + this.#rowsOf(line), 0);
    // A terminal that was given no size says 0, or nothing.
    this.#isMovable &&= height < (this.#place.stdout.rows || 0);
    if (!this.#isMovable) {
      const news = shown === undefined ? lines : lines.filter((line) => !shown.includes(line));
      this.#place.write(news.map((line) => `${line}\n`).join(''));
      return;
    }
    const again = shown === undefined ? '' : `${BACK}${CLEAR_BELOW}`;
    // The room is made first: where the terminal scrolled later, the place to come back to would be another.
    const room = `${'\n'.repeat(height)}${ESC}[${height}A${SAVE}`;
    this.#place.write(`${again}${room}${lines.map((line) => `${line}\n`).join('')}`);
  }

  [Symbol.dispose](): void {
    this.#place.stdout.off('resize', this.#onResize);
  }

  readonly #onResize = (): void => {
    this.#isMovable = false;
  };

  #rowsOf(line: string): number {
    return Math.max(1, Math.ceil(greatestWidth(line) / (this.#place.stdout.columns || 80)));
  }
}
