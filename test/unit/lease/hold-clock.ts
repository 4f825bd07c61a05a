import type { HoldClock } from '../../../src/lease/hold.js';

interface Alarm {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is moved. Alarms fire in their order, and what they set off settles in between. */
export class FakeClock implements HoldClock {
  readonly #alarms = new Set<Alarm>();
  #nowMs = 1_000;

  monotonicMs(): number {
    return this.#nowMs;
  }

  alarm(ms: number, callback: () => void): () => void {
    const alarm = { atMs: this.#nowMs + ms, callback };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** How many alarms are set. */
  get alarmCount(): number {
    return this.#alarms.size;
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (let alarm = this.#next(untilMs); alarm; alarm = this.#next(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, alarm.atMs);
      await this.#fire(alarm);
    }
    this.#nowMs = untilMs;
  }

  /** The process is frozen for so long: every alarm of that time is late, and the first fires only at the end. */
  async freeze(ms: number): Promise<void> {
    this.#nowMs += ms;
    // Answers that came in meanwhile are read before timers are looked at, as the event loop does.
    await settled();
    for (let alarm = this.#next(this.#nowMs); alarm; alarm = this.#next(this.#nowMs)) await this.#fire(alarm);
    await settled();
  }

  async #fire(alarm: Alarm): Promise<void> {
    this.#alarms.delete(alarm);
    alarm.callback();
    await settled();
  }

  #next(untilMs: number): Alarm | undefined {
    const due = [...this.#alarms].filter(({ atMs }) => atMs <= untilMs);
    return due.sort((one, other) => one.atMs - other.atMs)[0];
  }
}

/** Every promise that can settle by itself has. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
