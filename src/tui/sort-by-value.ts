import type { Compare } from './sorted-list.js';

/** Whole numbers up to here are exact. */
const EXACT = 2 ** 53;

/**
 * Sorts items by a value each, all numbers or all texts; items with the same value keep their order. `compare` must agree
 * with that. A comparison for each step of a sort takes a few hundred milliseconds for a hundred thousand items, between
 * a key press and its answer; numbers alone are sorted in a tenth of that, each packed with its item's place. Only items
 * that their numbers do not tell apart are compared.
 */
export function sortByValue<Item>(
  items: readonly Item[],
  values: readonly number[] | readonly string[],
  compare: Compare<Item>,
): Item[] {
  const count = items.length;
  const sorted: Item[] = [];
  let start = 0;
  let isMixed = false;
  const settle = () => {
    if (isMixed) for (const item of sorted.splice(start).sort(compare)) sorted.push(item);
    start = sorted.length;
    isMixed = false;
  };
  let lastStep = -1;
  let lastPlace = 0;
  for (const number of packed(numbersOf(values))) {
    const step = Math.floor(number / count);
    const place = number - step * count;
    const item = items[place];
    if (step !== lastStep) settle();
    else if (values[place] !== values[lastPlace]) isMixed = true;
    lastStep = step;
    lastPlace = place;
    if (item !== undefined) sorted.push(item);
  }
  settle();
  return sorted;
}

function numbersOf(values: readonly number[] | readonly string[]): readonly number[] {
  return isNumbers(values) ? values : textNumbers(values);
}

function isNumbers(values: readonly number[] | readonly string[]): values is readonly number[] {
  return typeof values[0] === 'number';
}

/** The numbers in steps as fine as there is room for, each with its place in the low digits, sorted. */
function packed(numbers: readonly number[]): Float64Array {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  const count = Math.max(1, numbers.length);
  const steps = Math.floor(EXACT / count) - 1;
  const scale = greatest > least ? Math.min(steps / (greatest - least), Number.MAX_VALUE) : 0;
  const values = new Float64Array(numbers.length);
  for (const [place, number] of numbers.entries()) {
    values[place] = Math.floor((number - least) * scale) * count + place;
  }
  return values.sort();
}

/** How many characters of a text its number tells. */
const TOLD = 7;

/** The last code that a number tells apart from others. */
const LAST_CODE = 127;

/** A number for each text, in the order of the texts, telling what comes after the beginning that all have in common. */
function textNumbers(texts: readonly string[]): readonly number[] {
  const from = commonLength(texts);
  return texts.map((text) => textNumber(text, from));
}

function textNumber(text: string, from: number): number {
  let number = 0;
  let isTold = true;
  for (let at = from; at < from + TOLD; at += 1) {
    const code: number = isTold && at < text.length ? Math.min(text.charCodeAt(at), LAST_CODE) : 0;
    isTold = isTold && code < LAST_CODE;
    number = number * (LAST_CODE + 1) + code;
  }
  return number;
}

function commonLength(texts: readonly string[]): number {
  const first = texts[0] ?? '';
  let length = first.length;
  for (const text of texts) {
    let same = 0;
    while (same < length && text.charCodeAt(same) === first.charCodeAt(same)) same += 1;
    length = same;
    if (length === 0) break;
  }
  return length;
}
