import { Writable } from 'node:stream';
import type { Size } from './layout.js';

/** What Ink writes to when it is to hand over whole frames, one a write. It is no terminal: nothing else is written. */
export class FrameStream extends Writable {
  readonly #size: () => Size;
  readonly #onFrame: (lines: readonly string[]) => void;

  constructor(size: () => Size, onFrame: (lines: readonly string[]) => void) {
    super({ decodeStrings: false });
    this.#size = size;
    this.#onFrame = onFrame;
  }

  get columns(): number {
    return this.#size().columns;
  }

  get rows(): number {
    return this.#size().rows;
  }

  override _write(frame: string, _encoding: string, done: () => void): void {
    if (frame !== '') this.#onFrame(frame.split('\n'));
    done();
  }
}
