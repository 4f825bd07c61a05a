import type { CliIo } from '../io.js';
import { InterruptedError } from '../usage-error.js';

/** Keys that leave: q, Enter, Ctrl-C and Ctrl-D. */
const LEAVING_KEYS = ['q', '\r', '\n', '\u0003', '\u0004'];
/** Leaves as well, by itself: other keys begin with it. */
const ESCAPE = '\u001b';

/** A part of a command that can be left before its end, with what it has told so far. */
export interface Stay extends Disposable {
  /** Aborted when it is left. */
  readonly signal: AbortSignal;
}

/**
 * What Ctrl-C means: the end of the command, or, while it stays to watch, of the watching alone. Other signals end the
 * command at any time.
 */
export class Leaving {
  readonly #command = new AbortController();
  #stay: AbortController | undefined;

  constructor(signal: AbortSignal) {
    const onAbort = () => {
      const { reason } = signal;
      const isCtrlC = reason instanceof InterruptedError && reason.exitCode === 130;
      if (isCtrlC && this.#stay) this.#stay.abort();
      else this.#command.abort(reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  }

  /** What the command runs under. */
  get signal(): AbortSignal {
    return this.#command.signal;
  }

  /** From now until it is disposed, Ctrl-C, or on a terminal one of the leaving keys, leaves. */
  stay({ isTerminal, terminal }: Pick<CliIo, 'isTerminal' | 'terminal'>): Stay {
    const stay = new AbortController();
    this.#stay = stay;
    const forget = isTerminal.stdin ? listenForKeys(terminal.stdin, () => stay.abort()) : undefined;
    return {
      signal: AbortSignal.any([stay.signal, this.#command.signal]),
      [Symbol.dispose]: () => {
        this.#stay = undefined;
        forget?.();
      },
    };
  }
}

function listenForKeys(stdin: CliIo['terminal']['stdin'], onLeave: () => void): () => void {
  const onData = (data: Buffer | string) => {
    const typed = data.toString();
    const isKeys = !typed.startsWith(ESCAPE) && LEAVING_KEYS.some((key) => typed.includes(key));
    if (isKeys || typed === ESCAPE) onLeave();
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  return () => {
    stdin.off('data', onData);
    stdin.pause();
    stdin.setRawMode(false);
  };
}
