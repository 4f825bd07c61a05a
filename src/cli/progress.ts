import type { Spinner } from 'yocto-spinner';
import { hasColour } from '../output/theme.js';
import type { CliIo } from './io.js';

/** How long an eye waits before it wants to know that something is going on, in milliseconds. */
const DELAY_MS = 300;

/** What is shown must stay on one line: wrapped, it would leave rests behind. */
const FRAME_COLUMNS = 3;

/**
 * Shows on a terminal's stderr what is being waited for, once that takes longer than an eye waits. What others write
 * meanwhile goes above it. Whoever begins one ends it before writing an answer.
 */
export class Progress {
  readonly #io: CliIo;
  readonly #isColourRefused: boolean;
  readonly #timer: NodeJS.Timeout;
  #text: string;
  #spinner: Spinner | undefined;
  #isOver = false;

  constructor(io: CliIo, text: string, isColourRefused: boolean) {
    this.#io = io;
    this.#text = text;
    this.#isColourRefused = isColourRefused;
    this.#timer = setTimeout(() => void this.#show(), DELAY_MS);
    this.#timer.unref();
  }

  /** Whether there is a terminal that can show it; CI keeps every frame as a line of its log. */
  static isPossible({ isTerminal, env }: Pick<CliIo, 'isTerminal' | 'env'>): boolean {
    return isTerminal.stderr && env.TERM !== 'dumb' && env.CI === undefined;
  }

  set text(text: string) {
    this.#text = text;
    if (this.#spinner) this.#spinner.text = this.#fitted();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#spinner?.stop();
  }

  async #show(): Promise<void> {
    const { default: makeSpinner } = await this.#load();
    if (this.#isOver) return;
    const { stderr: stream } = this.#io.terminal;
    this.#spinner = makeSpinner({ stream, text: this.#fitted(), handleSignals: false }).start();
  }

  /** Its colours are decided when it is loaded, by the environment alone. */
  async #load() {
    const { env } = this.#io.application;
    const { FORCE_COLOR: forced } = env;
    const isTerminal = this.#io.isTerminal.stderr;
    if (!hasColour({ isTerminal, env, isRefused: this.#isColourRefused })) env.FORCE_COLOR = '0';
    try {
      return await import('yocto-spinner');
    } finally {
      if (forced === undefined) delete env.FORCE_COLOR;
      else env.FORCE_COLOR = forced;
    }
  }

  #fitted(): string {
    const columns = this.#io.terminal.stderr.columns || 80;
    return this.#text.slice(0, Math.max(0, columns - FRAME_COLUMNS));
  }
}
