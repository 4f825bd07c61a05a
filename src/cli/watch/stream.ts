import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendSource } from '../../lease/backend.js';
import type { WatchEvent } from '../../operations/watch-event.js';
import { eventJson } from '../../output/watch-json.js';
import { eventText } from '../../output/watch-text.js';
import type { Printer } from '../printer.js';

/** Prints events as they come, each with all its lines, until they end or whoever reads them has left. */
export async function printEvents(
  printer: Printer,
  events: AsyncIterable<WatchEvent>,
  source: () => BackendSource,
  { isSourceTold = false } = {},
): Promise<void> {
  let isToldWhere = isSourceTold;
  for await (const event of events) {
    // A server's role is known once it has answered.
    if (!isToldWhere && event.type !== 'backend-down') {
      isToldWhere = true;
      await printer.source(source());
    }
    if (printer.mode === 'json') {
      for (const line of eventJson(event, source())) await printer.json(line);
    } else {
      for (const line of eventText(event, printer.theme)) await printer.line(line);
    }
    if (printer.isReaderGone) return;
  }
}

/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Tells recorded events as far apart as they were, `speed` times as fast; `Infinity` at once. */
export async function* paced(
  events: AsyncIterable<WatchEvent>,
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void, undefined> {
  let lastAtMs: number | undefined;
  for await (const event of events) {
    const delayMs = (event.atMs - (lastAtMs ?? event.atMs)) / speed;
    if (delayMs >= 1) await sleep(Math.min(delayMs, MAX_TIMER_MS), undefined, { signal });
    lastAtMs = Math.max(lastAtMs ?? event.atMs, event.atMs);
    yield event;
  }
}
