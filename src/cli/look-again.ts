import { setTimeout as sleep } from 'node:timers/promises';
import { lookAgain } from '../operations/look-again.js';
import type { KeyOutcome } from '../operations/outcome.js';
import { formatDuration } from '../output/durations.js';
import { runtimeSettings, type TakingOptions } from './options.js';
import type { Session } from './session.js';

/** A live owner renews within its interval; the rest is for the way there, in milliseconds. */
const MARGIN_MS = 500;

/** With `--verify`: looks once more at what was taken, when a live owner would have renewed. */
export async function verified(
  { context, printer, budget, io }: Session,
  outcomes: AsyncIterable<KeyOutcome> | Iterable<KeyOutcome>,
  { verify }: TakingOptions,
): Promise<AsyncIterable<KeyOutcome> | Iterable<KeyOutcome>> {
  if (!verify) return outcomes;
  const sent: KeyOutcome[] = [];
  for await (const outcome of outcomes) sent.push(outcome);
  const pause = async (ms: number) => {
    await printer.talk(`looking again in ${formatDuration(ms)} (--verify)`);
    await sleep(ms, undefined, { signal: context.signal });
    // What was waited on purpose is not the backend's time.
    budget.restart();
  };
  return lookAgain(context, sent, {
    afterMs: runtimeSettings(io.env).renewIntervalMs + MARGIN_MS,
    pause,
  });
}
