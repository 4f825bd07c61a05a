import { hrtime } from 'node:process';

/** Where time comes from; injected, so that tests can move it. */
export interface Clock {
  /** Milliseconds on a clock that never steps back; only differences mean anything. */
  monotonicMs(): number;
  /** Milliseconds since the Unix epoch, as the host believes. */
  wallMs(): number;
}

/** The clock of this process. */
export const systemClock: Clock = {
  // To load what is behind `performance` takes a start a millisecond.
  monotonicMs: () => {
    const [seconds, nanoseconds] = hrtime();
    return seconds * 1_000 + nanoseconds / 1e6;
  },
  wallMs: () => Date.now(),
};
