import type { CallBudget } from '../backend/call-budget.js';
import type { Clock } from '../lease/clock.js';
import { Deadline } from '../lease/deadline.js';

/** The share of a command's time that a write leaves, at most, for reading back when its answer is lost, in milliseconds. */
const READ_BACK_MS = 1_000;

/**
 * How a command shares out its time. A bounded command has one deadline for everything; a write then leaves a part for
 * reading back. Waiting for a person's answer does not count.
 */
export class CommandBudget {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #isWhole: boolean;
  #deadline: Deadline;

  private constructor(clock: Clock, timeoutMs: number, isWhole: boolean) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#isWhole = isWhole;
    this.#deadline = Deadline.after(timeoutMs, clock);
  }

  /** `timeoutMs` for the whole command. */
  static whole(timeoutMs: number, clock: Clock): CommandBudget {
    return new CommandBudget(clock, timeoutMs, true);
  }

  /** `timeoutMs` for each call; the command itself may go on. */
  static eachCall(timeoutMs: number, clock: Clock): CommandBudget {
    return new CommandBudget(clock, timeoutMs, false);
  }

  /** Starts the time anew, after a person was asked. */
  restart(): void {
    this.#deadline = Deadline.after(this.#timeoutMs, this.#clock);
  }

  /** From now on the time is for each call: a command that has answered goes on watching. */
  goOn(): void {
    this.#isWhole = false;
  }

  readonly forCall: CallBudget = (kind) => {
    const remainingMs = this.#isWhole ? this.#deadline.remainingMs() : this.#timeoutMs;
    return kind === 'read' ? remainingMs : remainingMs - Math.min(READ_BACK_MS, remainingMs / 4);
  };
}
