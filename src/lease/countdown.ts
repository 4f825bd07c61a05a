import type { Clock } from './clock.js';
import { type Due, DueHeap } from './due-heap.js';

/** What a {@link Countdown} depends on. */
export interface CountdownOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called with the ids whose time is over: each once, until it is set again. */
  readonly onDue: (ids: readonly string[]) => void;
}

/** A lease that is held; it is in the heap while it waits for its end. */
interface Entry extends Due {
  readonly id: string;
}

/** The time left comes in whole milliseconds, and so does the server's clock: only then is an end surely past. */
const GRACE_MS = 2;
/** An end that was looked at and was not one yet is looked at again, but not at once. */
const LOOK_AGAIN_MS = 20;
/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * The leases that are known to be held, and when each will be over: one timer for all, so that an end is noticed when
 * it comes, whatever the server says about it and when.
 */
export class Countdown {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #onDue: (ids: readonly string[]) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #ending = new DueHeap<Entry>();
  #timer: NodeJS.Timeout | undefined;
  #firesAtMs = Number.POSITIVE_INFINITY;

  constructor({ clock, onDue }: CountdownOptions) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  ids(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** Holds a lease until an instant of the clock; `null` for one without an end, or with an unknown one. */
  set(id: string, endsAtMs: number | null): void {
    const known = this.#entries.get(id);
    const entry: Entry = known ?? { id, dueAtMs: 0 };
    if (!known) this.#entries.set(id, entry);
    if (endsAtMs === null) {
      this.#ending.take(entry);
      return;
    }
    const wasDue = known !== undefined && known.place === undefined && known.dueAtMs > 0;
    const notBeforeMs = wasDue ? this.#clock.monotonicMs() + LOOK_AGAIN_MS : 0;
    entry.dueAtMs = Math.max(endsAtMs + GRACE_MS, notBeforeMs);
    this.#ending.put(entry);
    this.#arm();
  }

  /** Forgets a lease; whether it was known. */
  delete(id: string): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    this.#ending.take(entry);
    return this.#entries.delete(id);
  }

  /** Forgets all of them, and lets the process end. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    this.#entries.clear();
    this.#ending.clear();
  }

  /** A timer that fires early is cheaper than one that is set anew with every renewal. */
  #arm(): void {
    const dueAtMs = this.#ending.nextMs;
    if (dueAtMs === undefined || dueAtMs >= this.#firesAtMs) return;
    clearTimeout(this.#timer);
    this.#firesAtMs = dueAtMs;
    const delayMs = Math.ceil(dueAtMs - this.#clock.monotonicMs());
    this.#timer = setTimeout(this.#fire, Math.min(Math.max(1, delayMs), MAX_TIMER_MS));
  }

  readonly #fire = (): void => {
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    const due: string[] = [];
    for (let over = this.#ending.takeDue(nowMs); over; over = this.#ending.takeDue(nowMs)) due.push(over.id);
    this.#arm();
    if (due.length > 0) this.#onDue(due);
  };
}
