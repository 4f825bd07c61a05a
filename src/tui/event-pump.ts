import type { WatchEvent } from '../operations/watch-event.js';

/** How long events are collected at most, in milliseconds: each batch is worked in at once. */
const BATCH_MS = 60;

/** What a pump hands its events to. */
export interface PumpSink {
  readonly monotonicMs: () => number;
  readonly onEvents: (events: readonly WatchEvent[]) => void;
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

/** Hands events on in batches: the first at once, the others some time apart. Answers how to stop. */
export function pumpEvents(events: AsyncIterable<WatchEvent>, sink: PumpSink): () => void {
  let waiting: WatchEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  const flush = () => {
    timer = undefined;
    if (isStopped) return;
    lastMs = sink.monotonicMs();
    const batch = waiting;
    waiting = [];
    sink.onEvents(batch);
  };
  const read = async () => {
    for await (const event of events) {
      if (isStopped) return;
      waiting.push(event);
      timer ??= setTimeout(flush, Math.max(0, lastMs + BATCH_MS - sink.monotonicMs()));
    }
    clearTimeout(timer);
    if (waiting.length > 0) flush();
    if (!isStopped) sink.onEnd();
  };
  read().catch((error: unknown) => {
    if (!isStopped) sink.onError(error);
  });
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
