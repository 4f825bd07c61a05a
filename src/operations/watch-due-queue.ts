/** Items by the moment at which each is due, soonest first. */
export class DueQueue<Item> {
  /** A binary heap: the parent of the entry at `i` is at `(i - 1) >> 1`. */
  #heap: { readonly atMs: number; readonly item: Item }[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** When the first is due; `undefined` when there is none. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.atMs;
  }

  push(atMs: number, item: Item): void {
    const entry = { atMs, item };
    let index = this.#heap.push(entry) - 1;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#heap[parentIndex];
      if (!parent || parent.atMs <= atMs) break;
      this.#heap[index] = parent;
      index = parentIndex;
    }
    this.#heap[index] = entry;
  }

  /** Takes the first out when it is due. */
  takeDue(nowMs: number): Item | undefined {
    const first = this.#heap[0];
    if (!first || first.atMs > nowMs) return undefined;
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#sink(last);
    return first.item;
  }

  clear(): void {
    this.#heap = [];
  }

  /** Puts an entry in the place of the first, and from there where it belongs. */
  #sink(entry: { readonly atMs: number; readonly item: Item }): void {
    let index = 0;
    for (;;) {
      let childIndex = 2 * index + 1;
      const right = this.#heap[childIndex + 1];
      let child = this.#heap[childIndex];
      if (child && right && right.atMs < child.atMs) {
        child = right;
        childIndex += 1;
      }
      if (!child || child.atMs >= entry.atMs) break;
      this.#heap[index] = child;
      index = childIndex;
    }
    this.#heap[index] = entry;
  }
}
