/** Where time comes from; injected, so that tests can move it. */
export interface Clock {
  /** Milliseconds on a clock that never steps back; only differences mean anything. */
  monotonicMs(): number;
  /** Milliseconds since the Unix epoch, as the host believes. */
  wallMs(): number;
}

/** The clock of this process. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
};
