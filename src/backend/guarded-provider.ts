import type { Clock } from '../lease/clock.js';
import { Deadline, withinDeadline } from '../lease/deadline.js';
import {
  isLeaseError,
  OutcomeUnknownError,
  UnexpectedReplyError,
  UnreachableError,
  UnsupportedError,
} from '../lease/errors.js';
import { assertKey, assertOwner } from '../lease/key.js';
import type { AcquireResult, LeaseMethod, LeaseProvider } from '../lease/provider.js';
import { withoutUserInfo } from '../lease/redact.js';
import { assertTtlMs } from '../lease/ttl.js';
import type { CallBudget } from './call-budget.js';

/** Failures of a connection that was never made: whatever was asked was not sent. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** The methods after which the lease is this process's. */
const GIVES_TO_CALLER: readonly LeaseMethod[] = ['acquireLease', 'renewLease', 'transferLease'];

/**
 * A provider that an application brought, with what cannot be taken for granted of it: an end to every call, and
 * answers of the shape that the contract says. A write that failed without saying why may have happened.
 */
export class GuardedProvider implements LeaseProvider {
  readonly #provider: LeaseProvider;
  readonly #name: string;
  readonly #budget: CallBudget;
  readonly #clock: Clock;
  readonly #isBoundToCaller: boolean;

  constructor(
    provider: LeaseProvider,
    name: string,
    budget: CallBudget,
    clock: Clock,
    { isBoundToCaller }: { readonly isBoundToCaller: boolean },
  ) {
    this.#provider = provider;
    this.#isBoundToCaller = isBoundToCaller;
    this.#name = name;
    this.#budget = budget;
    this.#clock = clock;
  }

  async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    assertKey(key);
    assertOwner(owner);
    assertTtlMs(ttlMs);
    const answer = await this.#call('acquireLease', 'write', () =>
      this.#provider.acquireLease(key, owner, ttlMs),
    );
    if (isAcquireResult(answer)) return answer;
    throw this.#unexpected('acquireLease', '{ acquired: boolean, owner?: string }', answer);
  }

  async getLeaseOwner(key: string): Promise<string | undefined> {
    assertKey(key);
    const answer = await this.#call('getLeaseOwner', 'read', () => this.#provider.getLeaseOwner(key));
    if (answer === undefined || typeof answer === 'string') return answer;
    throw this.#unexpected('getLeaseOwner', 'a string or undefined', answer);
  }

  async releaseLease(key: string, owner: string): Promise<void> {
    assertKey(key);
    assertOwner(owner);
    await this.#call('releaseLease', 'write', () => this.#provider.releaseLease(key, owner));
  }

  async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    assertKey(key);
    assertOwner(owner);
    assertTtlMs(ttlMs);
    const answer = await this.#call('renewLease', 'write', () =>
      this.#provider.renewLease(key, owner, ttlMs),
    );
    if (typeof answer === 'boolean') return answer;
    throw this.#unexpected('renewLease', 'a boolean', answer);
  }

  async transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean> {
    assertKey(key);
    assertOwner(fromOwner);
    assertOwner(toOwner);
    assertTtlMs(ttlMs);
    const answer = await this.#call('transferLease', 'write', () =>
      this.#provider.transferLease(key, fromOwner, toOwner, ttlMs),
    );
    if (typeof answer === 'boolean') return answer;
    throw this.#unexpected('transferLease', 'a boolean', answer);
  }

  /** Calls the provider, whose answer is `unknown` whatever its types say. */
  async #call(method: LeaseMethod, kind: 'read' | 'write', call: () => Promise<unknown>): Promise<unknown> {
    if (this.#isBoundToCaller && GIVES_TO_CALLER.includes(method)) {
      throw new UnsupportedError(
        `A lease of ${this.#name} counts as free once the process that took it is gone, and this one goes at once`,
        { remedy: 'only a process that stays can hold one' },
      );
    }
    const deadline = Deadline.after(this.#budget(kind), this.#clock);
    try {
      return await withinDeadline(Promise.resolve().then(call), deadline, () =>
        this.#failure(method, kind, 'it did not answer in time'),
      );
    } catch (error) {
      if (isLeaseError(error)) throw error;
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const reason = withoutUserInfo(error instanceof Error ? error.message || code : String(error));
      throw this.#failure(
        method,
        NOT_SENT.includes(code) ? 'read' : kind,
        `it failed: ${reason.split('\n', 1)[0]}`,
      );
    }
  }

  #failure(
    method: LeaseMethod,
    kind: 'read' | 'write',
    reason: string,
  ): UnreachableError | OutcomeUnknownError {
    const what = `${method} of ${this.#name}: ${reason}`;
    return kind === 'read'
      ? new UnreachableError(`${what}; nothing was changed`, {
          remedy: "is the application's own backend reachable from here?",
        })
      : new OutcomeUnknownError(`${what}; the write may have happened`, {
          remedy: 'read the lease before trying again',
        });
  }

  #unexpected(method: LeaseMethod, expected: string, answer: unknown): UnexpectedReplyError {
    return new UnexpectedReplyError(
      `Expected ${expected} from ${method} of ${this.#name}, got ${describeShape(answer)}`,
      {
        remedy: 'the provider breaks the LeaseProvider contract',
      },
    );
  }
}

function isAcquireResult(answer: unknown): answer is AcquireResult {
  if (typeof answer !== 'object' || answer === null || !('acquired' in answer)) return false;
  const owner: unknown = 'owner' in answer ? answer.owner : undefined;
  return typeof answer.acquired === 'boolean' && (owner === undefined || typeof owner === 'string');
}

/** What came back, by its kind; a value could be anything, so none is shown. */
function describeShape(answer: unknown): string {
  if (answer === null) return 'null';
  if (Array.isArray(answer)) return 'an array';
  if (typeof answer === 'object') return `an object with ${Object.keys(answer).join(', ') || 'nothing'}`;
  return typeof answer;
}
