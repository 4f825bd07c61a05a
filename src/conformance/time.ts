import { setTimeout } from 'node:timers/promises';

export const DEFAULT_CALL_TIMEOUT_MS = 5_000;

/** The time of this process. */
export const realTime = {
  /** Milliseconds on a clock that never steps back. */
  nowMs: () => performance.now(),
  async sleep(ms: number): Promise<void> {
    const until = performance.now() + ms;
    // A timer may fire a fraction early.
    for (let left = ms; left > 0; left = until - performance.now()) await setTimeout(Math.ceil(left));
  },
};
