/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** A generator for these whole numbers: each list of them has a sequence of its own (mulberry32). */
export function seededRandom(...seeds: readonly number[]): Random {
  let state = 0x9e3779b9;
  for (const seed of seeds) state = mix(state ^ mix(seed)) + 0x6d2b79f5;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from');
      return item;
    },
  };
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), value | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return mixed ^ (mixed >>> 14);
}
