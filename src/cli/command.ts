import { version as nodeVersion } from 'node:process';
import type { Command } from 'commander';
import { isLeaseError } from '../lease/errors.js';
import { formatDuration } from '../output/durations.js';
import type { ErrorContext } from '../output/json.js';
import type { CommandName } from './command-table.js';
import { type ExitCode, exitCodeOfError } from './exit-codes.js';
import type { CliIo } from './io.js';
import type { AuditOptions, CommonOptions } from './options.js';
import { Printer } from './printer.js';
import { openSession, type Session, type SessionOptions } from './session.js';
import { InterruptedError, UsageError } from './usage-error.js';
import { version } from './version.js';

/** What a run of a command is given beside what was parsed. */
export interface Run {
  readonly io: CliIo;
  /** Aborted when a signal ends the command. */
  readonly signal: AbortSignal;
  /** Loads another command, for the one that completes them. */
  readonly loadCommand?: (name: CommandName) => Promise<SealedCommand>;
}

/** One verb of the command line: how it is declared and parsed, and what it does. The two are apart, to be tested apart. */
export interface CommandModule<Input> {
  declare(command: Command, run: (input: Input) => Promise<void>): void;
  /** Answers the exit code: one of {@link ExitCode}, or that of a command which it ran. */
  run(run: Run, input: Input): Promise<number>;
}

/** A verb with its input's type sealed in. */
export interface SealedCommand {
  attach(command: Command, run: Run, done: (exitCode: number) => void): void;
}

export function sealCommand<Input>({
  declare,
  run,
}: CommandModule<Input>): SealedCommand & CommandModule<Input> {
  return {
    declare,
    run,
    attach: (command, context, done) => declare(command, async (input) => done(await run(context, input))),
  };
}

/** Runs a command's work; what goes wrong is printed once and becomes an exit code. */
export async function runGuarded<Code extends number = ExitCode>(
  { io, signal }: Run,
  verb: string,
  options: CommonOptions,
  work: (printer: Printer) => Promise<Code>,
  about: () => Omit<ErrorContext, 'verb'> = () => ({}),
): Promise<Code | ExitCode> {
  const printer = printerFor(io, options);
  const startedMs = io.clock.monotonicMs();
  await printer.detail(`mastra-lease ${version}, Node.js ${nodeVersion}, ${io.platform}`);
  const stopTracing = printer.isVerbose ? await traceCalls(io, verb, printer) : undefined;
  const exitCode = await unlessInterrupted(signal, work(printer))
    .catch(async (error: unknown) => {
      if (!(error instanceof Error)) throw error;
      const failed = exitCodeOfFailure(error);
      if (failed === undefined) throw error;
      await printer.error(error, failed, { verb, ...about() });
      return failed;
    })
    .finally(() => printer.idle());
  stopTracing?.();
  await printer.detail(`exit code ${exitCode} after ${formatDuration(io.clock.monotonicMs() - startedMs)}`);
  return exitCode;
}

/** Tells what is sent, unless that would be written into a screen. */
async function traceCalls(io: CliIo, verb: string, printer: Printer): Promise<(() => void) | undefined> {
  if (io.isTerminal.stdout && ['watch', 'demo'].includes(verb)) return undefined;
  const { traceRedis } = await import('./verbose.js');
  return traceRedis((line) => void printer.detail(line), io.clock);
}

/** Runs a command's work in a session: opens the backend, works, closes it. */
export async function runInSession<Code extends number = ExitCode>(
  run: Run,
  verb: string,
  options: CommonOptions & AuditOptions,
  opening: Omit<SessionOptions, 'signal'>,
  work: (session: Session) => Promise<Code>,
): Promise<Code | ExitCode> {
  const { io, signal } = run;
  let session: Session | undefined;
  try {
    return await runGuarded(
      run,
      verb,
      options,
      async (printer) => {
        session = await openSession(io, printer, options, { ...opening, signal });
        return work(session);
      },
      () => ({
        source: session?.context.backend.source(),
        ...(signal.aborted && session?.audit?.isOpen && { mayHaveWritten: true }),
      }),
    );
  } finally {
    await session?.audit?.end();
    const closing = session?.context.backend.close();
    // A connection that is still being made may take its whole timeout to give up: the end of the process ends it too.
    if (signal.aborted) closing?.catch(() => {});
    else await closing;
  }
}

export function printerFor(io: CliIo, options: CommonOptions): Printer {
  const { json, quiet, verbose, color } = options;
  return new Printer(io, {
    json: json === true,
    isQuiet: quiet === true,
    isVerbose: verbose === true,
    isColourRefused: !color,
    typed: options,
  });
}

/** The exit code of what went wrong; `undefined` for what should not have, a bug. */
export function exitCodeOfFailure(error: Error): ExitCode | undefined {
  if (isLeaseError(error)) return exitCodeOfError(error.code);
  if (error instanceof UsageError) return 2;
  if (error instanceof InterruptedError) return error.exitCode;
  return undefined;
}

async function unlessInterrupted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}
