import { basename, resolve } from 'node:path';
import { UnsupportedError } from '../../lease/errors.js';
import type { WatchEvent } from '../../operations/watch-event.js';
import { filterEvents, type WatchFilter } from '../../operations/watch-filter.js';
import { formatInstant } from '../../output/durations.js';
import { printable } from '../../output/printable.js';
import { sourceText } from '../../output/source-text.js';
import type { Run } from '../command.js';
import type { Printer } from '../printer.js';
import { UsageError } from '../usage-error.js';
import { endingOf } from '../watch/ending.js';
import { runScreen } from '../watch/screen.js';
import { paced, printEvents } from '../watch/stream.js';
import { openRecording } from './reader.js';

/** What to look at again, and how. */
export interface ReplayRequest {
  readonly path: string;
  /** So many times as fast as it happened; absent: at once, where it is a stream. */
  readonly speed: number | undefined;
  readonly filter: WatchFilter;
  readonly isOnScreen: boolean;
  readonly leaseTtlMs: number;
}

/** Shows a recording as the watch was shown. A line that is none ends it: what comes before is shown. */
export async function replay(run: Run, printer: Printer, request: ReplayRequest): Promise<number> {
  const { io } = run;
  const { speed, filter } = request;
  const path = resolve(io.cwd(), request.path);
  const { head, events } = await openRecording(path);
  const wanted = filterEvents(events, filter);
  const source = () => head.source;
  await printer.talk(`recorded from ${formatInstant(head.startedAtMs)}: ${sourceText(head.source)}`);
  using ending = endingOf(run);
  if (!request.isOnScreen) {
    const told = speed === undefined ? wanted : paced(wanted, speed, ending.signal);
    await printEvents(printer, told, source, { isSourceTold: true });
    return 0;
  }
  const { recorded, problem } = await readAll(wanted);
  // A long path would leave no room for the line that is named.
  const shortly = problem?.message.replace(printable(path), () => printable(basename(path)));
  const exitCode = await runScreen(io, printer, {
    events: wanted,
    replay: { events: recorded, speed: speed ?? 1, problem: shortly },
    source,
    isWritable: false,
    isReadOnlyContext: true,
    actions: NO_ACTIONS,
    leaseTtlMs: request.leaseTtlMs,
    ending,
  });
  if (problem) throw problem;
  return exitCode;
}

async function readAll(
  events: AsyncIterable<WatchEvent>,
): Promise<{ readonly recorded: readonly WatchEvent[]; readonly problem?: UsageError }> {
  const recorded: WatchEvent[] = [];
  try {
    for await (const event of events) recorded.push(event);
    return { recorded };
  } catch (error) {
    if (error instanceof UsageError) return { recorded, problem: error };
    throw error;
  }
}

const refuse = async (): Promise<never> => {
  throw new UnsupportedError('A recording cannot be changed');
};

const NO_ACTIONS = { transfer: refuse, release: refuse };
