/** What waits for a moment, in milliseconds of some clock. */
export interface Due {
  dueAtMs: number;
  /** Its place in the heap; absent while it waits in none. */
  place?: number | undefined;
}

/** Things by the moment at which each is due, soonest first. Each is in one heap at the most. */
export class DueHeap<Item extends Due> {
  /** A binary heap: each is due no later than those at twice its place, plus 1 and plus 2. */
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** When the first is due; `undefined` when there is none. */
  get nextMs(): number | undefined {
    return this.#items[0]?.dueAtMs;
  }

  /** Puts an item in, or where it belongs now that it is due at another moment. */
  put(item: Item): void {
    item.place ??= this.#items.push(item) - 1;
    this.#settle(item, item.place);
  }

  /** Takes an item out, where it is in. */
  take(item: Item): void {
    const { place } = item;
    if (place === undefined) return;
    item.place = undefined;
    const last = this.#items.pop();
    if (last && last !== item) this.#settle(last, place);
  }

  /** Takes the first out when it is due. */
  takeDue(nowMs: number): Item | undefined {
    const [first] = this.#items;
    if (!first || first.dueAtMs > nowMs) return undefined;
    this.take(first);
    return first;
  }

  clear(): void {
    for (const item of this.#items) item.place = undefined;
    this.#items.length = 0;
  }

  /** Puts an item where it belongs, from a place that is free or its own. */
  #settle(item: Item, from: number): void {
    let place = from;
    for (let above = (place - 1) >> 1; place > 0; above = (place - 1) >> 1) {
      const parent = this.#items[above];
      if (!parent || parent.dueAtMs <= item.dueAtMs) break;
      this.#place(parent, place);
      place = above;
    }
    for (;;) {
      const [left, right] = [this.#items[2 * place + 1], this.#items[2 * place + 2]];
      const child = left && right && right.dueAtMs < left.dueAtMs ? right : left;
      if (!child || child.place === undefined || child.dueAtMs >= item.dueAtMs) break;
      const below = child.place;
      this.#place(child, place);
      place = below;
    }
    this.#place(item, place);
  }

  #place(item: Item, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }
}
