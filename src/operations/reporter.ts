import type { Backend } from '../lease/backend.js';
import {
  isLeaseError,
  OutcomeUnknownError,
  UnexpectedReplyError,
  UnsupportedError,
} from '../lease/errors.js';
import type { LeaseInspector, LeaseReport, LeaseReporter, SeenLease } from '../lease/inspector.js';
import type { LeaseMethod } from '../lease/provider.js';

/** What can list the leases of a backend.
 *
 * @throws `ERR_LEASE_UNSUPPORTED` where nothing can.
 */
export function inspectorOf({ inspector, source }: Backend): LeaseInspector {
  if (inspector) return inspector;
  throw new UnsupportedError(
    `The leases of ${source().provider ?? source().backend} cannot be listed: its provider offers only the contract`,
    {
      remedy: 'name where they live by `inspect` in the config, or by REDIS_URL',
    },
  );
}

/** A backend's own reports, or for a provider that keeps the contract alone what is seen when the owner is read back. */
export function reporterOf(backend: Backend): LeaseReporter {
  return backend.reporter ?? new ReadBackReporter(backend);
}

/**
 * Reports what was *seen*: `releaseLease` returns nothing, and a provider that always says yes says nothing. An answer
 * that the state afterwards contradicts is an error, except that another owner may have come in between. A write that
 * was answered and cannot be read back is one whose outcome is unknown.
 */
class ReadBackReporter implements LeaseReporter {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    const before = await this.#backend.readLease(key);
    const { acquired } = await this.#backend.provider.acquireLease(key, owner, ttlMs);
    const after = await this.#seen(key, acquired && 'acquireLease');
    if (acquired && after.holder === undefined) throw contradiction('acquireLease', 'acquired', after);
    const done = acquired && after.holder === owner;
    return { ...after, done, ...(done && { refreshed: before?.owner === owner }) };
  }

  /** Nothing is sent for another's lease: a release of it would do nothing, and no answer says so. */
  async tryRelease(key: string, owner: string): Promise<LeaseReport> {
    const before = await this.#backend.readLease(key);
    if (before?.owner !== owner) return { ...stateOf(before), done: false };
    await this.#backend.provider.releaseLease(key, owner);
    const after = await this.#seen(key, 'releaseLease');
    if (after.holder === owner) throw contradiction('releaseLease', 'nothing', after);
    return { ...after, done: true };
  }

  async tryRenew(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    const renewed = await this.#backend.provider.renewLease(key, owner, ttlMs);
    const after = await this.#seen(key, renewed && 'renewLease');
    if (renewed ? after.holder === undefined : after.holder === owner)
      throw contradiction('renewLease', String(renewed), after);
    return { ...after, done: renewed && after.holder === owner };
  }

  async tryTransfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<LeaseReport> {
    const moved = await this.#backend.provider.transferLease(key, fromOwner, toOwner, ttlMs);
    const after = await this.#seen(key, moved && 'transferLease');
    const isStill = after.holder === fromOwner && fromOwner !== toOwner;
    if (moved ? after.holder === undefined || isStill : after.holder === fromOwner)
      throw contradiction('transferLease', String(moved), after);
    return { ...after, done: moved && after.holder === toOwner };
  }

  /** The state after a write; `written` is the method that did or may have done something, if any did. */
  async #seen(key: string, written: LeaseMethod | false): Promise<Omit<LeaseReport, 'done'>> {
    try {
      return stateOf(await this.#backend.readLease(key));
    } catch (error) {
      if (written === false || !isLeaseError(error)) throw error;
      throw new OutcomeUnknownError(`${written} was answered, and could not be read back: ${error.message}`, {
        remedy: 'read the lease before trying again',
      });
    }
  }
}

function stateOf(lease: SeenLease | undefined): Omit<LeaseReport, 'done'> {
  if (!lease) return {};
  const { owner, remainingMs } = lease;
  return { holder: owner, ...(remainingMs !== undefined && { remainingMs }) };
}

function contradiction(
  method: LeaseMethod,
  answer: string,
  { holder }: Omit<LeaseReport, 'done'>,
): UnexpectedReplyError {
  const state = holder === undefined ? 'nobody holds the lease' : 'its owner still holds the lease';
  return new UnexpectedReplyError(
    `The provider's ${method} answered ${answer}, and ${state} when it is read back`,
    {
      remedy: 'a lease of no time, a provider that does not lease, or one that looks elsewhere',
    },
  );
}
