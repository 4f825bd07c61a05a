import { type Instance, render } from 'ink';
import { printable } from '../output/printable.js';
import { App } from './app.js';
import { type Effect, runEffect } from './effects.js';
import { pumpEvents } from './event-pump.js';
import { FrameStream } from './frame-stream.js';
import { KeyStream } from './key-stream.js';
import { intentOf, placeOf } from './keymap.js';
import type { Size } from './layout.js';
import { Lifetime } from './lifetime.js';
import type { TuiOptions } from './options.js';
import { type Action, firstState, reduce } from './reducer.js';
import type { TuiState } from './state.js';
import { takeLines } from './take-lines.js';
import { TerminalScreen } from './terminal-screen.js';

const TICK_MS = 1_000;
const PLAY_MS = 100;
/** Between two frames that nobody has pressed a key for, in milliseconds: whoever looks sees no more than ten a second. */
const FRAME_MS = 100;

/** The exit code of a program whose terminal has gone. */
const HANGUP = 129;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Draws the screen until it is left. See {@link runTui}. */
export async function runScreen(options: TuiOptions): Promise<number> {
  options.signal.throwIfAborted();
  // Ink's exit hook kills the process at a signal that nobody else listens to for good, before what it has open is closed.
  const ignore = () => {};
  const { signals, stdin, stdout } = options.io;
  for (const signal of SIGNALS) signals.on(signal, ignore);
  // A terminal that has gone fails once more when it is given back its settings.
  for (const stream of [stdin, stdout]) stream.on('error', ignore);
  try {
    return await new Promise<number>((resolve, reject) => new Screen(options, resolve, reject));
  } finally {
    // Ink's own listeners are called for a signal after the one that ended the screen.
    await new Promise((resolve) => setImmediate(resolve));
    for (const signal of SIGNALS) signals.off(signal, ignore);
    for (const stream of [stdin, stdout]) stream.off('error', ignore);
  }
}

/** A screen from its first frame until the terminal is as it was before. */
class Screen {
  readonly #options: TuiOptions;
  readonly #resolve: (exitCode: number) => void;
  readonly #reject: (error: unknown) => void;
  readonly #write: (text: string) => void;
  readonly #terminal: TerminalScreen;
  readonly #ink: Instance;
  readonly #ends: (() => void)[] = [];
  #state: TuiState;
  #timer: NodeJS.Timeout | undefined;
  #frame: NodeJS.Timeout | undefined;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #isEnding = false;
  #isOver = false;

  constructor(options: TuiOptions, resolve: (exitCode: number) => void, reject: (error: unknown) => void) {
    const { io, clock, source, replay, transferTtlMs } = options;
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#write = io.write ?? ((text) => io.stdout.write(text));
    this.#terminal = new TerminalScreen(this.#write);
    this.#state = firstState(
      {
        size: this.#size(),
        nowMs: clock.wallMs(),
        source: source(),
        refusal: refusalOf(options),
        transferTtlMs,
      },
      replay,
    );
    this.#listen();
    this.#terminal.open();
    this.#ink = render(this.#view(), {
      stdout: new FrameStream(
        () => this.#size(),
        (lines) => this.#terminal.draw(lines),
      ),
      stdin: new KeyStream(io.stdin),
      // Decided by whoever calls this, from the terminal; Ink would also look at CI.
      interactive: true,
      // Each frame whole and at once: how it comes to the terminal is not Ink's.
      debug: true,
      exitOnCtrlC: false,
      patchConsole: false,
    });
    // What the components throw takes the screen down by itself.
    this.#ink.waitUntilExit().catch((error: unknown) => this.#end(() => reject(error)));
    this.#tick();
    if (!replay) this.#pump();
  }

  #listen(): void {
    const { io, signal } = this.#options;
    const onAbort = () => this.#end(() => this.#reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#ends.push(() => signal.removeEventListener('abort', onAbort));
    const onGone = () => this.#end(() => this.#resolve(HANGUP));
    const onResize = () => {
      // How a terminal rearranges what was drawn at its old size is its own affair.
      this.#terminal.clear();
      this.#dispatch({ type: 'resized', size: this.#size() });
    };
    const { stdin, stdout, stderr } = io;
    stdin.on('end', onGone).on('error', onGone);
    stdout.on('error', onGone);
    stdout.on('resize', onResize);
    this.#ends.push(() => {
      stdin.off('end', onGone).off('error', onGone);
      stdout.off('error', onGone).off('resize', onResize);
    });
    if (stderr.isTTY) {
      this.#ends.push(
        takeLines(stderr, (line) => this.#dispatch({ type: 'noted', word: 'stderr', text: printable(line) })),
      );
    }
  }

  #pump(): void {
    const { events, clock } = this.#options;
    const stop = pumpEvents(events, {
      monotonicMs: () => clock.monotonicMs(),
      onEvents: (events) => this.#learn({ type: 'events', events }),
      onEnd: () => this.#learn({ type: 'ended' }),
      onError: (error) => this.#end(() => this.#reject(error)),
    });
    this.#ends.push(stop);
  }

  /** Draws what time has changed; the next time is some while after the last. */
  #tick(): void {
    this.#apply(this.#now());
    this.#drawSoon();
    this.#schedule();
  }

  /** What is told is known at once, and drawn with what else is told soon after. */
  #learn(action: Action): void {
    this.#apply(this.#now());
    this.#apply(action);
    this.#drawSoon();
  }

  #now(): Action {
    const { clock, source } = this.#options;
    return { type: 'tick', nowMs: clock.wallMs(), source: source() };
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const everyMs = this.#state.replay?.isPlaying ? PLAY_MS : TICK_MS;
    const { clock } = this.#options;
    this.#timer = setTimeout(() => this.#tick(), everyMs - (clock.wallMs() % everyMs));
  }

  /** Several keys may have come at once; what one means may depend on the one before. */
  #onKeys(names: readonly string[]): void {
    this.#apply(this.#now());
    for (const name of names) {
      const intent = intentOf(name, placeOf(this.#state), this.#state.replay !== undefined);
      if (intent) this.#apply(intent);
    }
    this.#draw();
    this.#schedule();
  }

  #onPaste(text: string): void {
    // Pasted text is text: it presses no keys.
    if (placeOf(this.#state) === 'typing') this.#dispatch({ type: 'edit', edit: { how: 'insert', text } });
  }

  #dispatch(...actions: readonly Action[]): void {
    for (const action of actions) this.#apply(action);
    this.#draw();
  }

  #apply(action: Action): void {
    if (this.#isOver) return;
    try {
      const { state, effects } = reduce(this.#state, action);
      this.#state = state;
      for (const effect of effects) this.#run(effect);
    } catch (error) {
      this.#end(() => this.#reject(error));
    }
  }

  #draw(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    if (this.#isOver) return;
    this.#drawnAtMs = this.#options.clock.monotonicMs();
    this.#ink.rerender(this.#view());
  }

  #drawSoon(): void {
    const waitMs = this.#drawnAtMs + FRAME_MS - this.#options.clock.monotonicMs();
    if (waitMs <= 0) this.#draw();
    else this.#frame ??= setTimeout(() => this.#draw(), waitMs);
  }

  #run(effect: Effect): void {
    const { actions, exportView } = this.#options;
    const host = {
      actions,
      exportView,
      write: this.#write,
      redraw: () => this.#terminal.clear(),
      exit: (exitCode: number) => this.#end(() => this.#resolve(exitCode)),
    };
    runEffect(effect, host).then(
      (answer) => answer && this.#dispatch(answer),
      (error: unknown) => this.#end(() => this.#reject(error)),
    );
  }

  #view() {
    return (
      <Lifetime onEnd={() => this.#restore()}>
        <App
          state={this.#state}
          theme={this.#options.theme}
          onKeys={(names) => this.#onKeys(names)}
          onPaste={(text) => this.#onPaste(text)}
        />
      </Lifetime>
    );
  }

  #size(): Size {
    const { columns, rows } = this.#options.io.stdout;
    // A terminal that was given no size says 0.
    return { columns: columns || 80, rows: rows || 24 };
  }

  /** Restores the terminal at once; what comes of it is told when all that was written is out. */
  #end(settle: () => void): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#restore();
    this.#ink.unmount();
    this.#ink.waitUntilExit().then(settle, settle);
  }

  /** Also called when the process ends without us, by Ink's hook on its exit. */
  #restore(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#frame);
    for (const end of this.#ends) end();
    this.#terminal.close();
  }
}

function refusalOf({ isWritable, isReadOnlyContext, replay }: TuiOptions): string | undefined {
  if (replay) return 'a recording cannot be changed';
  if (isReadOnlyContext) return 'this context is read-only';
  return isWritable ? undefined : 'read-only: watch --write can transfer and release';
}
