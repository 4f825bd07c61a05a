import { closeSync, openSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import type { ConformanceProgress } from '../../conformance/index.js';
import {
  CONFORMANCE_LEVELS,
  type ConformanceLevel,
  REQUIREMENTS,
  type Requirement,
} from '../../conformance/levels.js';
import { UnreachableError } from '../../lease/errors.js';
import { conformanceJson } from '../../output/conformance-json.js';
import { conformanceJunit, untestedJunit } from '../../output/conformance-junit.js';
import { clauseHead, clauseRow, evidenceText, verdictText } from '../../output/conformance-text.js';
import type { ClauseView, ConformanceView } from '../../output/conformance-view.js';
import { printable } from '../../output/printable.js';
import { fileErrorCode } from '../append-line.js';
import { type Run, runGuarded, sealCommand } from '../command.js';
import { AS_PROCESS, type ConformanceTarget, openTarget, processStarter } from '../conformance-target.js';
import type { ExitCode } from '../exit-codes.js';
import { oneOf } from '../filter-options.js';
import { type CommonOptions, parseTimeout, withCommonOptions } from '../options.js';
import type { Printer } from '../printer.js';
import { UsageError } from '../usage-error.js';

type ConformanceCommandOptions = CommonOptions & {
  readonly level?: string;
  readonly require?: readonly string[];
  readonly seed?: string;
  readonly runs?: string;
  readonly clients?: string;
  readonly junit?: string;
  readonly asProcess?: boolean;
};

const LEVELS = [...CONFORMANCE_LEVELS, 'all'] as const;

/** How long an interrupted run may take to release what it holds, in milliseconds. */
const CLEAN_UP_MS = 2_000;

/** `conformance`: proves the contract against the backend, on scratch keys. */
export const conformance = sealCommand<ConformanceCommandOptions>({
  declare(command, run) {
    command
      .optionsGroup('Conformance:')
      .option('--level <level>', `how far to go: ${LEVELS.join(', ')} (default all)`)
      .option(
        '--require <clause>',
        `fail where this does not hold: ${REQUIREMENTS.join(', ')}`,
        (value: string, before: readonly string[] = []) => [...before, ...value.split(',')],
      )
      .option('--seed <n>', 'makes the random runs of a report again')
      .option('--runs <n>', 'random runs (default: as many as fit into a few seconds)')
      .option('--clients <n>', 'clients of a random run (default 4)')
      .option('--junit <file>', 'write JUnit XML too')
      .addOption(new Option(AS_PROCESS, 'make calls for another process').hideHelp());
    withCommonOptions(command, 'for the whole command (default none; 5s for each call)');
    command.action((options: ConformanceCommandOptions) => run(options));
  },
  async run(run, options) {
    let target: ConformanceTarget | undefined;
    let working: Promise<ExitCode> | undefined;
    const exitCode = await runGuarded(
      run,
      'conformance',
      options,
      (printer) => {
        working = work(run, printer, options, (opened) => {
          target = opened;
        });
        return working;
      },
      () => ({ source: target?.source() }),
    );
    // Interrupted, it still releases what it holds.
    if (run.signal.aborted) await Promise.race([working?.catch(() => {}), setTimeout(CLEAN_UP_MS)]);
    return exitCode;
  },
});

async function work(
  { io, signal }: Run,
  printer: Printer,
  options: ConformanceCommandOptions,
  onOpen: (target: ConformanceTarget) => void,
): Promise<ExitCode> {
  const settings = readSettings(options);
  const junit = options.junit === undefined ? undefined : openReport(resolve(io.cwd(), options.junit));
  try {
    const target = await openTarget(io, printer, options);
    onOpen(target);
    const { runConformance, serveLeaseProvider } = await import('../../conformance/index.js');
    const { factory, callTimeoutMs } = target;
    if (options.asProcess) {
      await serveLeaseProvider(factory, { callTimeoutMs });
      return 0;
    }
    await printer.source(target.source());
    const rows = new Rows(printer, io.isTerminal.stdout ? io.columns : undefined);
    const report = await runConformance(factory, {
      ...settings,
      callTimeoutMs,
      startProcess: processStarter(io.argv),
      signal: withTimeLimit(signal, options.timeout),
      onClause: (clause) => rows.add(clause),
      onProgress: (progress) => rows.tell(progress),
    });
    const source = target.source();
    const atMs = io.clock.wallMs();
    const problem = junit?.(conformanceJunit(report, source.backend, atMs));
    const exitCode = problem ? 2 : report.conforms ? 0 : 11;
    if (printer.mode === 'json') await printer.json(conformanceJson(report, { exitCode, source, atMs }));
    else await rows.end(report);
    if (problem) await printer.failure(problem, 'conformance');
    return exitCode;
  } catch (error) {
    const problem =
      error instanceof Error ? junit?.(untestedJunit(error, 'not tested', io.clock.wallMs())) : undefined;
    if (problem) await printer.warn(problem.message, true);
    throw error;
  }
}

/** Prints the table as its clauses are decided, and what shows their findings after it. */
class Rows {
  readonly #printer: Printer;
  readonly #width: number | undefined;
  #printing: Promise<void>;
  /** What is shown below the rows while more of them are to come. */
  #progress: string | undefined = 'conformance: starting';

  constructor(printer: Printer, width: number | undefined) {
    this.#printer = printer;
    this.#width = width;
    this.#printing = this.#line(clauseHead(printer.theme));
  }

  add(clause: ClauseView): void {
    this.#printing = this.#printing.then(() =>
      this.#line(clauseRow(clause, this.#printer.theme, this.#width)),
    );
  }

  tell({ decidedClauses, clauses, running: [longest] }: ConformanceProgress): void {
    const what = longest === undefined ? 'giving back' : `${longest.id}: ${longest.sentence}`;
    this.#progress = `conformance: ${decidedClauses} of ${clauses} · ${what}`;
    this.#printer.busy(this.#progress);
  }

  async end(view: ConformanceView): Promise<void> {
    await this.#printing;
    this.#progress = undefined;
    for (const clause of view.clauses) {
      const text = evidenceText(clause, this.#printer.theme);
      if (text !== '') await this.#line(`\n${text}`);
    }
    await this.#line(`\n${verdictText(view, this.#printer.theme)}`);
  }

  async #line(text: string): Promise<void> {
    if (this.#printer.mode !== 'json') await this.#printer.line(text);
    if (this.#progress !== undefined) this.#printer.busy(this.#progress);
  }
}

interface Settings {
  readonly level: ConformanceLevel;
  readonly require: readonly Requirement[];
  readonly seed: number | undefined;
  readonly runs: number | undefined;
  readonly clients: number | undefined;
}

function readSettings(options: ConformanceCommandOptions): Settings {
  const level = oneOf(options.level, LEVELS, '--level') ?? 'all';
  const required = (options.require ?? []).map((value) => oneOf(value, REQUIREMENTS, '--require'));
  return {
    level: level === 'all' ? 'linearizable' : level,
    require: required.filter((value) => value !== undefined),
    seed: parseCount(options.seed, '--seed', 0, 2 ** 31 - 1),
    runs: parseCount(options.runs, '--runs', 1, 100_000),
    clients: parseCount(options.clients, '--clients', 1, 16),
  };
}

function parseCount(text: string | undefined, flag: string, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  throw new UsageError(
    `Expected ${flag} as a whole number from ${least} to ${most}, got "${printable(text)}"`,
  );
}

/**
 * A file that cannot be written is told before anything is tested. What writes it gives back what was in the way later,
 * such as a disk that is full: the report is still to be printed.
 */
function openReport(path: string): (text: string) => UsageError | undefined {
  try {
    closeSync(openSync(path, 'a'));
  } catch (error) {
    throw new UsageError(
      `Expected a file that can be written after --junit, got ${printable(path)} (${fileErrorCode(error)})`,
    );
  }
  return (text) => {
    try {
      writeFileSync(path, text);
      return undefined;
    } catch (error) {
      return new UsageError(`The report ${printable(path)} ends early: ${fileErrorCode(error)}`);
    }
  };
}

/** `--timeout` bounds the whole command, where it is given. */
function withTimeLimit(signal: AbortSignal, timeout: string | undefined): AbortSignal {
  if (timeout === undefined) return signal;
  const controller = new AbortController();
  const timer = globalThis.setTimeout(
    () =>
      controller.abort(
        new UnreachableError(`The backend was not tested within ${timeout}`, {
          remedy: 'give it more time, or stop at a lower --level',
        }),
      ),
    parseTimeout(timeout, 0),
  );
  timer.unref();
  return AbortSignal.any([signal, controller.signal]);
}
