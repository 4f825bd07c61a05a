/** Orders two items; 0 only for what stands for the same item. */
export type Compare<Item> = (a: Item, b: Item) => number;

/** Where what compares as equal to `target` is in a sorted list, or would be. */
export function positionOf<Item, Target>(
  list: readonly Item[],
  target: Target,
  compare: (item: Item, target: Target) => number,
): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = list[middle];
    if (candidate !== undefined && compare(candidate, target) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The item of a sorted list that compares as equal to `target`. */
export function findIn<Item, Target>(
  list: readonly Item[],
  target: Target,
  compare: (item: Item, target: Target) => number,
): Item | undefined {
  const found = list[positionOf(list, target, compare)];
  return found !== undefined && compare(found, target) === 0 ? found : undefined;
}

/** What changes in a list. An item that was replaced is in both. */
export interface Edit<Item> {
  readonly removed: readonly Item[];
  readonly added: readonly Item[];
}

/**
 * A sorted list without the removed items and with the added ones, in one pass over memory: thousands of changes a
 * second must not sort a hundred thousand rows again. The list that was given stays as it is.
 */
export function edited<Item>(
  list: readonly Item[],
  { removed, added }: Edit<Item>,
  compare: Compare<Item>,
): readonly Item[] {
  if (removed.length === 0 && added.length === 0) return list;
  const gone = removed.map((item) => positionOf(list, item, compare)).sort((a, b) => a - b);
  const fresh = added.toSorted(compare);
  const places = fresh.map((item) => positionOf(list, item, compare));
  const result: Item[] = [];
  let copied = 0;
  const copyTo = (end: number) => {
    for (; copied < end; copied += 1) {
      const kept = list[copied];
      if (kept !== undefined) result.push(kept);
    }
  };
  let nextGone = 0;
  for (const [index, item] of fresh.entries()) {
    const place = places[index] ?? 0;
    for (let at = gone[nextGone]; at !== undefined && at < place; at = gone[nextGone]) {
      copyTo(at);
      copied = at + 1;
      nextGone += 1;
    }
    copyTo(place);
    result.push(item);
  }
  for (const at of gone.slice(nextGone)) {
    copyTo(at);
    copied = at + 1;
  }
  copyTo(list.length);
  return result;
}
