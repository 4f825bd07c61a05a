import { Deadline, withinDeadline } from '../lease/deadline.js';
import type { LeaseMethod, LeaseProvider } from '../lease/provider.js';

/** One call of the contract, to be made. */
export interface CallPlan {
  readonly method: LeaseMethod;
  readonly args: readonly (string | number)[];
}

/** One call as it was made. Times are on the run's clock; a call made elsewhere began and ended within them. */
export interface RecordedCall extends CallPlan {
  readonly client: string;
  /** Where it was made: 0 for this process, else the number of the process. */
  readonly place: number;
  readonly startMs: number;
  readonly endMs: number;
  /** The order of beginnings and ends within one place. */
  readonly startOrder: number;
  readonly endOrder: number;
  readonly answer?: unknown;
  /** Whether the answer came by a promise. */
  readonly isPromised?: boolean;
  /** Why it threw; `error` is what it threw, where that was in this process. */
  readonly failure?: string;
  readonly error?: unknown;
}

/** Whether `first` had ended before `second` began. */
export function precedes(first: RecordedCall, second: RecordedCall): boolean {
  return first.place === second.place ? first.endOrder < second.startOrder : first.endMs < second.startMs;
}

/** What making a call depends on. */
export interface CallSetting {
  readonly nowMs: () => number;
  /** The order of events at this place. */
  readonly nextOrder: () => number;
  readonly callTimeoutMs: number;
}

/** A call was not answered in time. */
class NoAnswerError extends Error {}

/** Makes a call, beginning at once, whatever it answers; it never throws. */
export async function makeCall(
  provider: LeaseProvider,
  client: string,
  { method, args }: CallPlan,
  { nowMs, nextOrder, callTimeoutMs }: CallSetting,
): Promise<RecordedCall> {
  const began = { client, place: 0, method, args, startMs: nowMs(), startOrder: nextOrder() };
  const ended = () => ({ endMs: nowMs(), endOrder: nextOrder() });
  try {
    const answering: unknown = Reflect.apply(provider[method], provider, args);
    const deadline = Deadline.after(callTimeoutMs, { monotonicMs: () => performance.now() });
    const answer = await withinDeadline(
      Promise.resolve(answering),
      deadline,
      () => new NoAnswerError(`no answer within ${callTimeoutMs} ms`),
    );
    return { ...began, ...ended(), answer, isPromised: isPromise(answering) };
  } catch (error) {
    return { ...began, ...ended(), failure: reasonOf(error), error };
  }
}

/** What was thrown, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).split('\n', 1)[0] ?? '';
  const [line = ''] = (error.message || error.name).split('\n', 1);
  return line;
}

/** Whether an acquire was answered with success, whomever it names. */
export function isAcquired({ answer }: RecordedCall): boolean {
  return isObject(answer) && answer.acquired === true;
}

/** Whether an acquire was answered with a refusal, whomever it names. */
export function isRefused({ answer }: RecordedCall): boolean {
  return isObject(answer) && answer.acquired === false;
}

/** The owner that an acquire named; `undefined` where it named none. */
export function namedOwner({ answer }: RecordedCall): unknown {
  return isObject(answer) ? answer.owner : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function' &&
    'catch' in value &&
    typeof value.catch === 'function'
  );
}
