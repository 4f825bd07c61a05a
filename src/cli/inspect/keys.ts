import { readHealth } from '../../lease/health.js';
import { type InspectContext, type Inspection, inspect } from '../../operations/inspect/inspect.js';
import { type ObserveRequest, observe } from '../../operations/inspect/observe.js';
import { inspectionJson } from '../../output/inspect/json.js';
import { inspectLines } from '../../output/inspect/text.js';
import { type ExitCode, worstExitCode } from '../exit-codes.js';
import { readKeysOrRefusals } from '../key-requests.js';
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
import type { Leaving } from './leaving.js';
import { type InspectOptions, parseObserve, renewIntervalMs } from './options.js';
import { InspectScreen } from './screen.js';

/** What comes late still counts as in time, in milliseconds: networks are slow at times. */
const MARGIN_MS = 500;

/** Inspects the keys that were named: a screen or an object each. */
export async function inspectKeys(
  session: Session,
  context: InspectContext,
  leaving: Leaving,
  keys: readonly string[],
  options: InspectOptions,
): Promise<ExitCode> {
  const { io, printer } = session;
  const targets = await readKeysOrRefusals(keys, options, io);
  const forMs = parseObserve(options.observe);
  using screen = printer.mode === 'terminal' ? new InspectScreen(session, options) : undefined;
  let answers = await lookAtAll(context, targets, (answer) => screen?.show([answer]));
  screen?.show(answers);
  const found = answers.flatMap(inspectionsOf);
  const request =
    forMs !== undefined
      ? { forMs, untilRenewed: false }
      : screen?.isInPlace && targets.length === 1
        ? found.map((inspection) => renewalOf(inspection, context, options, io)).at(0)
        : undefined;
  if (request && found.length > 0) {
    session.budget.goOn();
    using stay = screen && leaving.stay(io);
    const signal = stay?.signal ?? leaving.signal;
    // At once: what ends the command is told below what was seen.
    leaving.signal.addEventListener('abort', () => screen?.close(answers), { once: true });
    try {
      screen?.show(answers, request.forMs);
      for await (const seen of observe(context, found, { ...request, signal })) {
        answers = withObserved(answers, seen);
        screen?.show(answers, request.forMs);
      }
    } finally {
      screen?.close(answers);
    }
  }
  if (!screen) await print(session, answers, options);
  await printFailures(session, answers);
  if (!screen) await printer.source(context.backend.source());
  return worstExitCode(answers.map(exitCodeOfAnswer));
}

/** Looks at one key step by step, or at several at the same time. */
async function lookAtAll(
  context: InspectContext,
  targets: Awaited<ReturnType<typeof readKeysOrRefusals>>,
  onSight: (answer: Answer) => void,
): Promise<readonly Answer[]> {
  const [only, ...others] = targets;
  if (!only || others.length > 0) return Promise.all(targets.map((target) => answerFor(context, target)));
  if (only.by === 'nothing') throw only.error;
  const answers: Answer[] = [];
  for await (const inspected of inspect(context, only)) {
    answers[0] = { inspected };
    onSight({ inspected });
  }
  return answers;
}

/** How long a renewal may take to come; nothing where none can be expected. */
function renewalOf(
  { facts: { lease } }: Inspection,
  { settings }: InspectContext,
  options: InspectOptions,
  io: Session['io'],
): Omit<ObserveRequest, 'signal'> | undefined {
  if (typeof lease?.remainingMs !== 'number') return undefined;
  const { assumedTtlMs } = readHealth({ ...lease, remainingMs: 0 }, settings.ttlMs);
  if (assumedTtlMs === undefined) return undefined;
  const isThreads = assumedTtlMs === settings.ttlMs;
  const everyMs = isThreads ? renewIntervalMs(options, settings.ttlMs, io) : Math.floor(assumedTtlMs / 3);
  return { forMs: everyMs + MARGIN_MS, untilRenewed: true };
}

async function print(session: Session, answers: readonly Answer[], options: InspectOptions): Promise<void> {
  const { printer } = session;
  const setting = settingOf(session, options);
  const view = { ...setting, theme: printer.theme, columns: Number.POSITIVE_INFINITY, isSourceShown: false };
  let isFirst = true;
  for (const answer of answers) {
    if ('error' in answer) continue;
    const { inspected } = answer;
    if (printer.mode === 'json') {
      await printer.json(inspectionJson(inspected, exitCodeOfAnswer(answer), setting));
      continue;
    }
    if (!isFirst) await printer.line('');
    isFirst = false;
    for (const line of inspectLines(inspected, view)) await printer.line(line);
  }
}
