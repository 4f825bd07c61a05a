import type { BackendSource } from '../lease/backend.js';
import { AmbiguousKeyError, isLeaseError } from '../lease/errors.js';
import { escapeText } from '../lease/text.js';
import type { KeyOutcome } from '../operations/outcome.js';
import { commandFor } from '../output/command-line.js';
import { type ErrorContext, errorJson, type JsonObject, outcomeJson } from '../output/json.js';
import { pipedRow, pipedText, terminalText } from '../output/outcome-text.js';
import { printable } from '../output/printable.js';
import { sourceText } from '../output/source-text.js';
import { makeTheme, type Theme } from '../output/theme.js';
import type { ExitCode } from './exit-codes.js';
import type { CliIo, LineSink } from './io.js';
import { Progress } from './progress.js';

/** How a command prints. */
export interface PrintOptions {
  readonly json: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  readonly isColourRefused: boolean;
  /** The options that were typed, by their names in camel case, to name a command that would do. */
  readonly typed: object;
}

/** Prints answers on stdout and everything else on stderr, as JSON, for a terminal or for a pipe. */
export class Printer {
  readonly mode: 'json' | 'terminal' | 'pipe';
  readonly theme: Theme;
  /** The colours of what goes to stderr. */
  readonly talkTheme: Theme;
  readonly isVerbose: boolean;
  readonly #io: CliIo;
  readonly #isQuiet: boolean;
  readonly #typed: object;
  readonly #isColourRefused: boolean;
  #progress: Progress | undefined;
  #isIdle = false;
  readonly #cautions = new Set<string>();
  #isReaderGone = false;

  constructor(io: CliIo, { json, isQuiet, isVerbose, isColourRefused, typed }: PrintOptions) {
    this.#io = io;
    this.#isQuiet = isQuiet;
    this.isVerbose = isVerbose;
    this.#typed = typed;
    this.#isColourRefused = isColourRefused;
    // The process's stdout cannot be destroyed: it stays writable after EPIPE.
    io.stdout.once('error', () => {
      this.#isReaderGone = true;
    });
    this.mode = json ? 'json' : io.isTerminal.stdout ? 'terminal' : 'pipe';
    const { env } = io;
    this.theme = makeTheme({ isTerminal: io.isTerminal.stdout, env, isRefused: isColourRefused });
    this.talkTheme = makeTheme({ isTerminal: io.isTerminal.stderr, env, isRefused: isColourRefused });
  }

  /** Whether whoever read the answer has left: a normal end for a stream of lines. */
  get isReaderGone(): boolean {
    return this.#isReaderGone;
  }

  /** Shows on a terminal that this is being waited for, until something is printed; `--quiet` and `--json` leave it out. */
  busy(text: string | (() => string)): void {
    if (this.#isIdle || this.#isQuiet || this.mode === 'json' || !Progress.isPossible(this.#io)) return;
    const shown = printable(typeof text === 'string' ? text : text());
    if (this.#progress) this.#progress.text = shown;
    else this.#progress = new Progress(this.#io, shown, this.#isColourRefused);
  }

  /** The same where nothing is shown that says more. */
  stillBusy(text: () => string): void {
    if (!this.#progress) this.busy(text);
  }

  /** What was waited for is there; what is waited for next is told when it begins. */
  pause(): void {
    this.#progress?.stop();
    this.#progress = undefined;
  }

  /** Nothing is waited for any more, or another has the terminal: whatever goes on behind it is not shown. */
  idle(): void {
    this.pause();
    this.#isIdle = true;
  }

  /** Writes one line of the answer, waiting while the reader is slow. */
  async line(text: string): Promise<void> {
    if (!this.#isReaderGone) await this.#write(this.#io.stdout, text);
  }

  async json(object: JsonObject): Promise<void> {
    await this.line(JSON.stringify(object));
  }

  /** Writes a line for a person; `--quiet` and `--json` leave it out, since JSON carries it. */
  async talk(text: string): Promise<void> {
    if (this.#isQuiet || this.mode === 'json') return;
    await this.#write(this.#io.stderr, this.talkTheme.dim(text));
  }

  /** Writes a line for a person that nothing leaves out but `--quiet`, and not that either where a question needs it. */
  async warn(text: string, isAsked = false): Promise<void> {
    if (this.#isQuiet && !isAsked) return;
    this.#cautions.add(text);
    await this.#write(this.#io.stderr, this.talkTheme.warn(text));
  }

  /** Writes what `--verbose` asks for, whatever else is quiet, above what is waited for. */
  async detail(text: string): Promise<void> {
    if (this.isVerbose) await writeLine(this.#io.stderr, this.talkTheme.dim(`verbose: ${printable(text)}`));
  }

  /** Prints the answer for one key; `isOneOf` when the command asked about several. */
  async outcome(outcome: KeyOutcome, exitCode: ExitCode, isOneOf: boolean): Promise<void> {
    if (this.mode === 'json') return this.json(outcomeJson(outcome, exitCode));
    const { answer, talk } =
      this.mode === 'terminal'
        ? terminalText(outcome, this.theme, this.#typed)
        : pipedText(outcome, this.#typed);
    const line = this.mode === 'pipe' && isOneOf ? pipedRow(outcome) : answer;
    if (line !== '') await this.line(line);
    for (const text of talk) {
      if (!text.startsWith('caution: ')) await this.talk(text);
      // Said once: before the question, or with the first of several keys.
      else if (!this.#cautions.has(text)) await this.warn(text);
    }
  }

  async source(source: BackendSource): Promise<void> {
    await this.talk(sourceText(source));
  }

  /** Prints what ended a command, or a part of it, without an answer: one line for a person, one object for a script. */
  async error(error: Error, exitCode: ExitCode, context: ErrorContext = {}): Promise<void> {
    if (this.mode === 'json') await this.json(errorJson(error, exitCode, context));
    await this.failure(error, context.verb, context.key);
  }

  /** Tells a person what went wrong, whatever mode stdout is in. */
  async failure(error: Error, verb: string | undefined, key?: string): Promise<void> {
    const about = key === undefined ? '' : `${escapeText(key)}: `;
    const remedy = isLeaseError(error) && error.remedy !== undefined ? ` — ${error.remedy}` : '';
    const mark =
      isLeaseError(error) && error.code === 'ERR_LEASE_CANCELLED' ? '' : `${this.talkTheme.bad('error')} `;
    const line = `${mark}${about}${printable(`${error.message}${remedy}`)}`;
    await this.#write(this.#io.stderr, line);
    if (!(error instanceof AmbiguousKeyError) || verb === undefined) return;
    for (const { key, owner } of error.candidates) {
      await this.#write(
        this.#io.stderr,
        `  ${commandFor(verb, this.#typed, key)}    # held by ${escapeText(owner)}`,
      );
    }
  }

  /** What is printed takes the place of what was being waited for. */
  async #write(stream: LineSink, text: string): Promise<void> {
    this.pause();
    await writeLine(stream, text);
  }
}

/** Writes a line and waits while the reader is slow; once the reader is gone (EPIPE) nothing is written any more. */
async function writeLine(stream: LineSink, text: string): Promise<void> {
  if (!stream.writable || stream.write(`${text}\n`)) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      for (const event of ['drain', 'close', 'error']) stream.off(event, settle);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.once(event, settle);
  });
}
