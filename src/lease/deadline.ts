import type { Clock } from './clock.js';

/** A moment on the monotonic clock by which something must have ended. */
export class Deadline {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #atMs: number;

  private constructor(clock: Pick<Clock, 'monotonicMs'>, atMs: number) {
    this.#clock = clock;
    this.#atMs = atMs;
  }

  /** `ms` milliseconds from now; `Infinity` never comes. */
  static after(ms: number, clock: Pick<Clock, 'monotonicMs'>): Deadline {
    return new Deadline(clock, clock.monotonicMs() + ms);
  }

  /** Milliseconds until the deadline, 0 once it has passed. */
  remainingMs(): number {
    return Math.max(0, this.#atMs - this.#clock.monotonicMs());
  }
}

/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls back once the deadline has passed, or not at all once the answer was called. */
export function atDeadline(deadline: Deadline, callback: () => void): () => void {
  const remainingMs = deadline.remainingMs();
  if (remainingMs > MAX_TIMER_MS) return () => {};
  const timer = setTimeout(callback, remainingMs);
  return () => clearTimeout(timer);
}

/**
 * Settles as `work` does, or rejects with `onTimeout()` once the deadline has passed. Work that is late goes on
 * unobserved; stopping it is the caller's part.
 */
export function withinDeadline<T>(work: Promise<T>, deadline: Deadline, onTimeout: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = atDeadline(deadline, () => reject(onTimeout()));
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
