import type { Clock } from './clock.js';

/** What a {@link Countdown} depends on. */
export interface CountdownOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called with the ids whose time is over: each once, until it is set again. */
  readonly onDue: (ids: readonly string[]) => void;
}

interface Entry {
  readonly id: string;
  dueAtMs: number;
  /** Its place in the heap; absent when it is not waiting for its end. */
  place: number | undefined;
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
  /** A binary heap: each entry is due no later than those at twice its place, plus 1 and plus 2. */
  readonly #heap: Entry[] = [];
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
    const entry = known ?? { id, dueAtMs: 0, place: undefined };
    if (!known) this.#entries.set(id, entry);
    if (endsAtMs === null) {
      this.#take(entry);
      return;
    }
    const wasDue = known !== undefined && known.place === undefined && known.dueAtMs > 0;
    const notBeforeMs = wasDue ? this.#clock.monotonicMs() + LOOK_AGAIN_MS : 0;
    entry.dueAtMs = Math.max(endsAtMs + GRACE_MS, notBeforeMs);
    this.#put(entry);
    this.#arm();
  }

  /** Forgets a lease; whether it was known. */
  delete(id: string): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    this.#take(entry);
    return this.#entries.delete(id);
  }

  /** Forgets all of them, and lets the process end. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    this.#entries.clear();
    this.#heap.length = 0;
  }

  /** A timer that fires early is cheaper than one that is set anew with every renewal. */
  #arm(): void {
    const dueAtMs = this.#heap[0]?.dueAtMs;
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
    for (let first = this.#heap[0]; first && first.dueAtMs <= nowMs; first = this.#heap[0]) {
      this.#take(first);
      due.push(first.id);
    }
    this.#arm();
    if (due.length > 0) this.#onDue(due);
  };

  #put(entry: Entry): void {
    entry.place ??= this.#heap.push(entry) - 1;
    this.#settle(entry, entry.place);
  }

  #take(entry: Entry): void {
    const { place } = entry;
    if (place === undefined) return;
    entry.place = undefined;
    const last = this.#heap.pop();
    if (last && last !== entry) this.#settle(last, place);
  }

  /** Puts an entry where it belongs, from a place that is free or its own. */
  #settle(entry: Entry, from: number): void {
    let place = from;
    for (let above = (place - 1) >> 1; place > 0; above = (place - 1) >> 1) {
      const parent = this.#heap[above];
      if (!parent || parent.dueAtMs <= entry.dueAtMs) break;
      this.#place(parent, place);
      place = above;
    }
    for (;;) {
      const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
      const child = left && right && right.dueAtMs < left.dueAtMs ? right : left;
      if (!child || child.place === undefined || child.dueAtMs >= entry.dueAtMs) break;
      const below = child.place;
      this.#place(child, place);
      place = below;
    }
    this.#place(entry, place);
  }

  #place(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }
}
