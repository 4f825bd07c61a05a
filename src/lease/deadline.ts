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

/**
 * Settles as `work` does, or rejects with `onTimeout()` once the deadline has passed. Work that is late goes on
 * unobserved; stopping it is the caller's part.
 */
export function withinDeadline<T>(work: Promise<T>, deadline: Deadline, onTimeout: () => Error): Promise<T> {
  const remainingMs = deadline.remainingMs();
  if (remainingMs > MAX_TIMER_MS) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(onTimeout()), remainingMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
