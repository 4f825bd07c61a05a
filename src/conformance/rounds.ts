import { isSlow } from './timing.js';
import { together } from './together.js';
import type { Trial } from './trial.js';

/** How often something is tried: as often as fits into a time, and never less or more than given. */
interface RoundLimits {
  readonly atLeast: number;
  readonly atMost: number;
  /** Milliseconds. */
  readonly withinMs: number;
}

/** How many rounds go on at the same time where calls are slow. */
const ROUNDS_AT_A_TIME = 8;

/** Counts rounds. On a slow backend there are few, on a fast one many. */
export class Rounds {
  readonly #trial: Trial;
  readonly #limits: RoundLimits;
  readonly #startMs = performance.now();
  #done = 0;
  #isStopped = false;

  constructor(trial: Trial, limits: RoundLimits) {
    this.#trial = trial;
    this.#limits = limits;
  }

  /** Whether there is to be another round; counts it. */
  next(): boolean {
    this.#trial.setting.signal?.throwIfAborted();
    const { atLeast, atMost, withinMs } = this.#limits;
    const isOver = this.#done >= atLeast && performance.now() - this.#startMs >= withinMs;
    if (this.#isStopped || isOver || this.#done >= atMost) return false;
    this.#done += 1;
    return true;
  }

  /** No other round begins. */
  stop(): void {
    this.#isStopped = true;
  }

  get done(): number {
    return this.#done;
  }
}

/**
 * Tries something round after round; where calls are slow some rounds go on together, so each needs keys of its own. The
 * first round that throws is the last to begin.
 *
 * @returns how many rounds there were
 */
export async function inRounds(
  trial: Trial,
  limits: RoundLimits,
  round: (number: number) => Promise<void>,
): Promise<number> {
  const rounds = new Rounds(trial, limits);
  const work = async () => {
    try {
      while (rounds.next()) await round(rounds.done);
    } catch (error) {
      rounds.stop();
      throw error;
    }
  };
  await together(Array.from({ length: isSlow(trial.setting) ? ROUNDS_AT_A_TIME : 1 }, work));
  return rounds.done;
}
