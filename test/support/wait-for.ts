import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** How long to go on trying, in milliseconds; default 5 s. */
  readonly deadlineMs?: number;
  /** The pause between two tries, in milliseconds; default 20. */
  readonly everyMs?: number;
  /** What is waited for, for the error. */
  readonly what?: string;
}

type Truthy<Value> = Exclude<Value, undefined | null | false | 0 | ''>;

/**
 * Tries `probe` until it answers something truthy, which is returned. An answer that is falsy and a throw both mean
 * "not yet".
 *
 * @throws Error at the deadline, with the last throw as its `cause`.
 */
export async function waitFor<Value>(
  probe: () => Value | Promise<Value>,
  { deadlineMs = 5_000, everyMs = 20, what = 'a condition' }: WaitOptions = {},
): Promise<Truthy<Value>> {
  const startedAt = performance.now();
  let last: { readonly value: unknown } | { readonly error: unknown };
  do {
    try {
      const value = await probe();
      if (isTruthy(value)) return value;
      last = { value };
    } catch (error) {
      last = { error };
    }
    await sleep(everyMs);
  } while (performance.now() - startedAt < deadlineMs);
  const waited = `Waited ${deadlineMs} ms for ${what}`;
  if ('value' in last) throw new Error(`${waited}; the last answer was ${String(last.value)}`);
  throw new Error(`${waited}; the last try failed: ${messageOf(last.error)}`, { cause: last.error });
}

function isTruthy<Value>(value: Value): value is Truthy<Value> {
  return Boolean(value);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
