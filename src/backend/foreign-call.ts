import type { Clock } from '../lease/clock.js';
import { Deadline, withinDeadline } from '../lease/deadline.js';
import {
  isLeaseError,
  type LeaseError,
  NotPermittedError,
  OutcomeUnknownError,
  UnexpectedReplyError,
  UnreachableError,
  WrongTypeError,
} from '../lease/errors.js';
import { withoutUserInfo } from '../lease/redact.js';
import type { CallBudget } from './call-budget.js';

/** Whose methods are called, and how long a call may take. */
export interface Foreigner {
  /** Its class. */
  readonly name: string;
  readonly budget: CallBudget;
  readonly clock: Clock;
}

/** Failures of a connection that was never made: whatever was asked was not sent. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** The first words of Redis' error replies that mean the same in every client: the command was refused. */
const REFUSED = {
  login: /^(?:NOAUTH|WRONGPASS|NOPERM)\b/,
  type: /^WRONGTYPE\b/,
  state: /^(?:READONLY|LOADING|MASTERDOWN|MISCONF|OOM|CLUSTERDOWN|TRYAGAIN|NOREPLICAS)\b/,
};

/**
 * Calls a method that an application brought, whose answer is `unknown` whatever its types say. A write that failed
 * without saying why may have happened.
 *
 * @throws `LeaseError` when it throws, rejects or does not answer in time.
 */
export async function callForeign(
  { name, budget, clock }: Foreigner,
  method: string,
  kind: 'read' | 'write',
  call: () => unknown,
): Promise<unknown> {
  const what = `${method} of ${name}`;
  const deadline = Deadline.after(budget(kind), clock);
  try {
    return await withinDeadline(Promise.resolve().then(call), deadline, () =>
      failure(kind, `${what}: it did not answer in time`),
    );
  } catch (error) {
    throw isLeaseError(error) ? error : readFailure(what, kind, error);
  }
}

/** What came back where the contract says something else. */
export function unexpectedAnswer(
  { name }: Foreigner,
  method: string,
  kind: 'read' | 'write',
  expected: string,
  answer: unknown,
): UnexpectedReplyError {
  const what = `Expected ${expected} from ${method} of ${name}, got ${describeShape(answer)}`;
  return new UnexpectedReplyError(kind === 'read' ? what : `${what}; the write may have happened`, {
    remedy: 'it breaks the LeaseProvider contract',
  });
}

function readFailure(what: string, kind: 'read' | 'write', error: unknown): LeaseError {
  const message = `${what}: it failed: ${reasonOf(error)}`;
  const reply = error instanceof Error ? error.message : '';
  if (REFUSED.login.test(reply)) return new NotPermittedError(`${message}; nothing was changed`);
  if (REFUSED.type.test(reply)) return new WrongTypeError(`${message}; nothing was changed`);
  return failure(REFUSED.state.test(reply) || wasNotSent(error) ? 'read' : kind, message);
}

function failure(kind: 'read' | 'write', message: string): LeaseError {
  return kind === 'read'
    ? new UnreachableError(`${message}; nothing was changed`, {
        remedy: "is the application's own backend reachable from here?",
      })
    : new OutcomeUnknownError(`${message}; the write may have happened`, {
        remedy: 'read the lease before trying again',
      });
}

/** Clients wrap what the socket said. */
function wasNotSent(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ('code' in at && NOT_SENT.includes(String(at.code))) return true;
  }
  return false;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? oneLine(error) : describeShape(error);
  return oneLine(error.message || ('code' in error ? String(error.code) : error.name));
}

function oneLine(text: string): string {
  const [line = ''] = withoutUserInfo(text).split('\n', 1);
  return line;
}

/** What came back, by its kind; a text could be anything, so none is shown. */
function describeShape(answer: unknown): string {
  switch (typeof answer) {
    case 'undefined':
    case 'boolean':
      return String(answer);
    case 'object':
      if (answer === null) return 'null';
      if (Array.isArray(answer)) return 'an array';
      return `an object with ${Object.keys(answer).join(', ') || 'nothing'}`;
    default:
      return `a ${typeof answer}`;
  }
}
