import { mapAtOnce } from '../../operations/inspect/at-once.js';
import type { InspectContext, Inspected } from '../../operations/inspect/inspect.js';
import { observe } from '../../operations/inspect/observe.js';
import { countVerdicts, groupByProcess, sortInspected } from '../../operations/inspect/order.js';
import { pulse, THREADS_AT_ONCE } from '../../operations/inspect/pulse.js';
import type { ListEnd } from '../../operations/list-leases.js';
import { inspectionJson, processJson, pulseEndJson } from '../../output/inspect/json.js';
import { countsText, pulseRow } from '../../output/inspect/pulse-text.js';
import { listSummary } from '../../output/list-text.js';
import { type ExitCode, exitCodeOfError, worstExitCode } from '../exit-codes.js';
import { oneOf, parseLimit, readFilter } from '../filter-options.js';
import type { Session } from '../session.js';
import {
  type Answer,
  answerFor,
  exitCodeOfAnswer,
  inspectionsOf,
  printFailures,
  settingOf,
  withObserved,
} from './answers.js';
import { type InspectOptions, parseObserve } from './options.js';
import { readInspectTargets } from './targets.js';

/** What is printed of a pulse, beside the inspections. */
interface Told {
  readonly end: ListEnd;
  readonly exitCode: ExitCode;
  /** How many of what, in words. */
  readonly summary: (shown: number) => string;
}

/** Prints every held lease with its verdict, worst first. */
export async function inspectEverything(
  session: Session,
  context: InspectContext,
  options: InspectOptions,
): Promise<ExitCode> {
  const filter = readFilter(options);
  const print = pulsePrinter(session, options);
  const { inspections, end } = await pulse(context, {
    filter,
    onProgress: ({ scannedKeys }) =>
      session.printer.busy(() => `listing: ${scannedKeys.toLocaleString('en')} keys scanned`),
  });
  session.printer.idle();
  // Nothing was seen: "0 leases" would be an answer.
  if (end.error && end.total === 0) throw end.error;
  const exitCode = end.error ? exitCodeOfError(end.error.code) : 0;
  await print(inspections, { end, exitCode, summary: (shown) => listSummary(end, shown) });
  if (session.printer.isReaderGone) return 0;
  if (end.error) await session.printer.failure(end.error, 'inspect');
  await session.printer.source(end.source);
  return exitCode;
}

/** Prints the keys and threads that stdin names with their verdicts, worst first, held or not. */
export async function inspectStdin(
  session: Session,
  context: InspectContext,
  options: InspectOptions,
): Promise<ExitCode> {
  const { io, printer, budget } = session;
  const forMs = parseObserve(options.observe);
  const print = pulsePrinter(session, options);
  const targets = await readInspectTargets(options, io);
  // Whoever writes them may have taken their time.
  budget.restart();
  let answers = onePerKey(await mapAtOnce(targets, THREADS_AT_ONCE, (target) => answerFor(context, target)));
  if (forMs !== undefined) answers = await watched(session, context, answers, forMs);
  const inspected = answers.flatMap((answer) => ('inspected' in answer ? [answer.inspected] : []));
  const exitCode = worstExitCode(answers.map(exitCodeOfAnswer));
  const [total, matched] = [answers.length, inspected.length];
  const end = {
    complete: exitCode === 0,
    total,
    matched,
    atMs: io.clock.wallMs(),
    source: context.backend.source(),
  };
  await printFailures(session, answers);
  const summary = (shown: number) =>
    `${matched} ${matched === 1 ? 'key' : 'keys'}${matched === total ? '' : ` of ${total}`}${shown < matched ? `, ${shown} shown` : ''}`;
  await print(inspected, { end, exitCode, summary });
  await printer.source(end.source);
  return exitCode;
}

/** Two lines may have named one key, by its ids and by its own name. */
function onePerKey(answers: readonly Answer[]): readonly Answer[] {
  const known = new Set<string>();
  return answers.filter((answer) => {
    const key = 'inspected' in answer ? answer.inspected.key : undefined;
    if (key === undefined || !known.has(key)) return known.add(key ?? '');
    return false;
  });
}

async function watched(
  { budget }: Session,
  context: InspectContext,
  answers: readonly Answer[],
  forMs: number,
): Promise<readonly Answer[]> {
  const signal = context.signal ?? new AbortController().signal;
  const found = answers.flatMap(inspectionsOf);
  if (found.length === 0) return answers;
  budget.goOn();
  let all = answers;
  for await (const seen of observe(context, found, { forMs, untilRenewed: false, signal })) {
    all = withObserved(answers, seen);
  }
  return all;
}

/** Reads how it is to be printed before anything is asked. */
function pulsePrinter(
  session: Session,
  options: InspectOptions,
): (inspected: readonly Inspected[], told: Told) => Promise<void> {
  const { printer, io } = session;
  const by = oneOf(options.by, ['process'], '--by');
  const limit = parseLimit(options.limit);
  const setting = settingOf(session, options);
  return async (inspected, { end, exitCode, summary }) => {
    const shown = sortInspected(inspected).slice(0, limit);
    const groups = by === undefined ? undefined : groupByProcess(shown);
    const counts = countVerdicts(inspected);
    if (printer.mode === 'json') {
      const code = (one: Inspected) => exitCodeOfAnswer({ inspected: one });
      const lines = groups
        ? groups.map((group) => processJson(group, countVerdicts(group.inspections), code, setting))
        : shown.map((one) => inspectionJson(one, code(one), setting));
      for (const line of lines) await printer.json(line);
      await printer.json(pulseEndJson(end, counts, exitCode));
      return;
    }
    if (printer.mode === 'pipe') {
      const rows = groups ? groups.flatMap(({ inspections }) => inspections) : shown;
      for (const one of rows) await printer.line(pulseRow(one));
    } else if (shown.length > 0) {
      const { processTable, pulseTable } = await import('../../output/inspect/table.js');
      const countsOf = (of: readonly Inspected[]) => countsText(countVerdicts(of));
      const table = groups
        ? processTable(groups, countsOf, io.columns, printer.theme)
        : pulseTable(shown, io.columns, printer.theme);
      await printer.line(table);
    }
    if (printer.isReaderGone) return;
    const verdicts = countsText(counts);
    await printer.talk(`${summary(shown.length)}${verdicts === '' ? '' : ` · ${verdicts}`}`);
  };
}
