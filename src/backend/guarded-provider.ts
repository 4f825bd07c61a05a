import { UnsupportedError } from '../lease/errors.js';
import { assertKey, assertOwner } from '../lease/key.js';
import type { AcquireResult, LeaseMethod, LeaseProvider } from '../lease/provider.js';
import { assertTtlMs } from '../lease/ttl.js';
import { callForeign, type Foreigner, unexpectedAnswer } from './foreign-call.js';

/** The methods after which the lease is this process's. */
const GIVES_TO_CALLER: readonly LeaseMethod[] = ['acquireLease', 'renewLease', 'transferLease'];

/**
 * A provider that an application brought, with what cannot be taken for granted of it: an end to every call, and
 * answers of the shape that the contract says.
 */
export class GuardedProvider implements LeaseProvider {
  readonly #provider: LeaseProvider;
  readonly #foreigner: Foreigner;
  readonly #isBoundToCaller: boolean;

  constructor(
    provider: LeaseProvider,
    foreigner: Foreigner,
    { isBoundToCaller }: { readonly isBoundToCaller: boolean },
  ) {
    this.#provider = provider;
    this.#foreigner = foreigner;
    this.#isBoundToCaller = isBoundToCaller;
  }

  async acquireLease(key: string, owner: string, ttlMs: number): Promise<AcquireResult> {
    assertKey(key);
    assertOwner(owner);
    assertTtlMs(ttlMs);
    const answer = await this.#call('acquireLease', 'write', () =>
      this.#provider.acquireLease(key, owner, ttlMs),
    );
    if (isAcquireResult(answer)) return answer;
    throw unexpectedAnswer(
      this.#foreigner,
      'acquireLease',
      'write',
      '{ acquired: boolean, owner?: string }',
      answer,
    );
  }

  async getLeaseOwner(key: string): Promise<string | undefined> {
    assertKey(key);
    const answer = await this.#call('getLeaseOwner', 'read', () => this.#provider.getLeaseOwner(key));
    if (answer === undefined || typeof answer === 'string') return answer;
    throw unexpectedAnswer(this.#foreigner, 'getLeaseOwner', 'read', 'a string or undefined', answer);
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
    throw unexpectedAnswer(this.#foreigner, 'renewLease', 'write', 'a boolean', answer);
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
    throw unexpectedAnswer(this.#foreigner, 'transferLease', 'write', 'a boolean', answer);
  }

  async #call(method: LeaseMethod, kind: 'read' | 'write', call: () => Promise<unknown>): Promise<unknown> {
    if (this.#isBoundToCaller && GIVES_TO_CALLER.includes(method)) {
      throw new UnsupportedError(
        `A lease of ${this.#foreigner.name} counts as free once the process that took it is gone, and this one goes at once`,
        { remedy: 'only a process that stays can hold one' },
      );
    }
    return callForeign(this.#foreigner, method, kind, call);
  }
}

function isAcquireResult(answer: unknown): answer is AcquireResult {
  if (typeof answer !== 'object' || answer === null || !('acquired' in answer)) return false;
  const owner: unknown = 'owner' in answer ? answer.owner : undefined;
  return typeof answer.acquired === 'boolean' && (owner === undefined || typeof owner === 'string');
}
