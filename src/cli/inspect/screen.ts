import { formatDuration } from '../../output/durations.js';
import { inspectLines } from '../../output/inspect/text.js';
import type { Session } from '../session.js';
import { type Answer, settingOf } from './answers.js';
import { InPlace } from './in-place.js';
import type { InspectOptions } from './options.js';

/** The answers on a terminal, each time they are known better. */
export class InspectScreen implements Disposable {
  readonly #session: Session;
  readonly #options: InspectOptions;
  readonly #place: InPlace;
  #isClosed = false;
  /** Whether what is shown can be written over; else only what is new is written. */
  readonly isInPlace: boolean;

  constructor(session: Session, options: InspectOptions) {
    this.#session = session;
    this.#options = options;
    this.isInPlace = session.io.env.TERM !== 'dumb';
    this.#place = new InPlace(session.io.terminal, this.isInPlace);
  }

  /** `forMs`: how long it goes on, at most. */
  show(answers: readonly Answer[], forMs?: number): void {
    if (this.#isClosed) return;
    const { io, printer } = this.#session;
    printer.idle();
    const view = {
      ...settingOf(this.#session, this.#options),
      theme: printer.theme,
      columns: io.terminal.stdout.columns || io.columns,
      isSourceShown: true,
    };
    const lines = answers
      .flatMap((answer) => ('inspected' in answer ? [inspectLines(answer.inspected, view)] : []))
      .flatMap((of, index) => (index === 0 ? of : ['', ...of]));
    this.#place.show([...lines, ...this.#footer(forMs)]);
  }

  /** Shows them for the last time: what is printed from now on comes below. */
  close(answers: readonly Answer[]): void {
    this.show(answers);
    this.#isClosed = true;
  }

  [Symbol.dispose](): void {
    this.#place[Symbol.dispose]();
  }

  #footer(forMs: number | undefined): readonly string[] {
    const { printer } = this.#session;
    if (forMs === undefined || this.#options.quiet) return [];
    const left = this.#session.io.isTerminal.stdin ? 'q ends it' : 'Ctrl-C ends it';
    return ['', printer.theme.dim(`  watching for renewals, ${formatDuration(forMs)} at most · ${left}`)];
  }
}
