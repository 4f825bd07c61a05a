import { InvalidTtlError } from './errors.js';

/** The runtime's own lease time (`MASTRA_AGENT_THREAD_LEASE_TTL_MS` when unset), in milliseconds. */
export const DEFAULT_TTL_MS = 15_000;

/** The longest TTL that is accepted, 24 hours, in milliseconds. */
export const MAX_TTL_MS = 86_400_000;

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** What a piece of text says as a duration: milliseconds, or why it does not. */
export type DurationReading =
  | { readonly ms: number }
  | { readonly problem: 'no-unit'; readonly number: string }
  | { readonly problem: 'not-a-duration' };

/**
 * Reads `15s`, `500ms`, `2m`, `1.5h` or `0` (which needs no unit). A bare number is refused: it could mean two things.
 *
 * @example
 * ```ts
 * import { readDuration } from 'mastra-lease';
 *
 * readDuration('1.5m'); // => { ms: 90_000 }
 * readDuration('30'); // => { problem: 'no-unit', number: '30' }
 * ```
 */
export function readDuration(text: string): DurationReading {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const number = match?.[1];
  if (number === undefined) return { problem: 'not-a-duration' };
  const unit = match?.[2];
  if (unit === undefined) {
    return Number(number) === 0 ? { ms: 0 } : { problem: 'no-unit', number };
  }
  // In thousandths first, which are whole where people write decimals: 1.001 * 1000 is not 1001.
  return { ms: (Number(`${number}e3`) * UNIT_MS[unit as keyof typeof UNIT_MS]) / 1_000 };
}

/**
 * Returns `ttlMs` when it is a usable TTL: a whole number of milliseconds from 1 to {@link MAX_TTL_MS}.
 * Redis deletes a key whose expiry is set to zero or less, so nothing else may ever reach a backend.
 *
 * @throws {@link InvalidTtlError}
 */
export function assertTtlMs(ttlMs: number): number {
  if (Number.isInteger(ttlMs) && ttlMs >= 1 && ttlMs <= MAX_TTL_MS) return ttlMs;
  throw new InvalidTtlError(
    `Expected a TTL of 1 to ${MAX_TTL_MS} whole milliseconds, got ${typeof ttlMs === 'number' ? ttlMs : typeof ttlMs}`,
  );
}
