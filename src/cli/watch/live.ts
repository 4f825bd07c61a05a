import type { WatchEvent } from '../../operations/watch-event.js';
import type { Session } from '../session.js';
import { keepOldHeapSmall, keepYoungHeapSmall } from '../small-heap.js';
import type { Ending } from './ending.js';
import { runScreen, screenActions } from './screen.js';
import { printEvents } from './stream.js';

/** What is shown of a watch. */
export interface Live {
  readonly events: AsyncIterable<WatchEvent>;
  readonly isWritable: boolean;
  /** Whether on the whole terminal, else as a stream of lines. */
  readonly isOnScreen: boolean;
  readonly ending: Ending;
  /** The lease time of the runtime that is looked at, in milliseconds. */
  readonly leaseTtlMs: number;
}

/** Shows a watch of a session's backend until it is ended, or left; answers the exit code. */
export async function showLive(session: Session, live: Live): Promise<number> {
  const { io, printer, context, isReadOnlyContext, audit } = session;
  const { events, isWritable, isOnScreen, ending, leaseTtlMs } = live;
  const source = () => context.backend.source();
  keepOldHeapSmall();
  if (!isOnScreen) {
    keepYoungHeapSmall();
    if (isWritable) await printer.warn('--write needs a terminal: this stream only reads');
    await printEvents(printer, events, source);
    return 0;
  }
  const actions = screenActions({ ...context, writeLog: audit?.keep }, leaseTtlMs);
  const screen = { events, source, isWritable, isReadOnlyContext, actions, ending, leaseTtlMs };
  return runScreen(io, printer, screen);
}
