import type { Clock } from '../lease/clock.js';
import { Deadline, withinDeadline } from '../lease/deadline.js';

/** How long an application may take to put its things away, in milliseconds. */
const CLOSE_MS = 1_000;

/**
 * Lets an application's backend flush and close, where it can. Whatever that does, the command is over: it neither fails
 * nor waits longer.
 */
export async function closeApplication(backend: unknown, clock: Clock): Promise<void> {
  const deadline = Deadline.after(CLOSE_MS, clock);
  for (const method of ['flush', 'close'] as const) {
    const ended = Promise.resolve().then(() => callIfThere(backend, method));
    await withinDeadline(ended, deadline, () => new Error('late')).catch(() => {});
  }
}

function callIfThere(backend: unknown, method: 'flush' | 'close'): unknown {
  const end: unknown = isObject(backend) ? Reflect.get(backend, method) : undefined;
  return typeof end === 'function' ? Reflect.apply(end, backend, []) : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
