import { Buffer } from 'node:buffer';

/** Reads values that others made, of which nothing is known and nothing may throw. */

/** A property's value; `undefined` also where there is none, or where reading it throws. */
export function read(value: unknown, name: PropertyKey): unknown {
  if (!isObject(value)) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}

/** Follows names one after the other. */
export function readPath(value: unknown, ...names: readonly PropertyKey[]): unknown {
  return names.reduce(read, value);
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A text that says something: no empty one, no other type. Bytes are read as UTF-8. */
export function asText(value: unknown): string | undefined {
  const text = Buffer.isBuffer(value) ? value.toString() : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** A whole number from 0, also where it is written as text, as out of a URL. */
export function asWhole(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
