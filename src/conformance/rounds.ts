import type { Trial } from './trial.js';

/** How often something is tried: as often as fits into a time, and never less or more than given. */
interface RoundLimits {
  readonly atLeast: number;
  readonly atMost: number;
  /** Milliseconds. */
  readonly withinMs: number;
}

/** Counts rounds. On a slow backend there are few, on a fast one many. */
export class Rounds {
  readonly #trial: Trial;
  readonly #limits: RoundLimits;
  readonly #startMs = performance.now();
  #done = 0;

  constructor(trial: Trial, limits: RoundLimits) {
    this.#trial = trial;
    this.#limits = limits;
  }

  /** Whether there is to be another round; counts it. */
  next(): boolean {
    this.#trial.setting.signal?.throwIfAborted();
    const { atLeast, atMost, withinMs } = this.#limits;
    const isOver = this.#done >= atLeast && performance.now() - this.#startMs >= withinMs;
    if (isOver || this.#done >= atMost) return false;
    this.#done += 1;
    return true;
  }

  get done(): number {
    return this.#done;
  }
}
