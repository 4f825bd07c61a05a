import { orAborted } from '../../lease/or-aborted.js';
import { printable } from '../../output/printable.js';
import type { Run } from '../command.js';
import { parseDuration } from '../options.js';
import { UsageError } from '../usage-error.js';

/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** When a command that goes on by itself is to end. */
export interface Ending extends Disposable {
  readonly signal: AbortSignal;
  /** Whether it came to its own end: its time was over, or nobody reads it any more. */
  readonly isOver: boolean;
  /** Whether it was its time that ended it. */
  readonly isTimeUp: boolean;
  readonly end: () => void;
}

/** Ends with the command, when whoever reads its lines has left, and after `afterMs` where that is given. */
export function endingOf({ io, signal }: Run, afterMs?: number): Ending {
  const controller = new AbortController();
  const end = () => controller.abort();
  io.stdout.once('error', end);
  let isTimeUp = false;
  const onTime = () => {
    isTimeUp = !controller.signal.aborted && !signal.aborted;
    end();
  };
  const timer = afterMs === undefined || afterMs > MAX_TIMER_MS ? undefined : setTimeout(onTime, afterMs);
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    get isOver() {
      return controller.signal.aborted && !signal.aborted;
    },
    get isTimeUp() {
      return isTimeUp;
    },
    end,
    [Symbol.dispose]() {
      clearTimeout(timer);
      io.stdout.off('error', end);
    },
  };
}

/** What `work` comes to; nothing when the end comes before that. */
export async function unlessOver<T>(ending: Ending, work: Promise<T>): Promise<T | undefined> {
  try {
    return await orAborted(work, ending.signal);
  } catch (error) {
    if (ending.isOver && error === ending.signal.reason) return undefined;
    throw error;
  }
}

/** `--for`: how long a command goes on that would not end by itself, in milliseconds. */
export function parseFor(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const forMs = parseDuration(text, '--for');
  if (forMs > 0) return forMs;
  throw new UsageError(`Expected --for of more than 0, got "${printable(text)}"`);
}
