import type { Backend } from '../lease/backend.js';
import { UnexpectedReplyError, UnsupportedError } from '../lease/errors.js';
import type { LeaseInspector, LeaseReport, LeaseReporter } from '../lease/inspector.js';

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
 * that the state afterwards contradicts is an error, except that another owner may have come in between.
 */
class ReadBackReporter implements LeaseReporter {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    const before = await this.#backend.readLease(key);
    const { acquired } = await this.#backend.provider.acquireLease(key, owner, ttlMs);
    const after = await this.#seen(key);
    if (acquired && after.holder === undefined) throw contradiction('acquireLease', 'acquired', after);
    return { ...after, done: after.holder === owner, refreshed: before?.owner === owner };
  }

  async tryRelease(key: string, owner: string): Promise<LeaseReport> {
    const before = await this.#backend.readLease(key);
    await this.#backend.provider.releaseLease(key, owner);
    const after = await this.#seen(key);
    if (before?.owner !== owner) return { ...after, done: false };
    if (after.holder === owner) throw contradiction('releaseLease', 'nothing', after);
    return { ...after, done: true };
  }

  async tryRenew(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    const renewed = await this.#backend.provider.renewLease(key, owner, ttlMs);
    const after = await this.#seen(key);
    if (renewed && after.holder === undefined) throw contradiction('renewLease', 'true', after);
    return { ...after, done: renewed && after.holder === owner };
  }

  async tryTransfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<LeaseReport> {
    const moved = await this.#backend.provider.transferLease(key, fromOwner, toOwner, ttlMs);
    const after = await this.#seen(key);
    if (moved && after.holder === undefined) throw contradiction('transferLease', 'true', after);
    return { ...after, done: moved && after.holder === toOwner };
  }

  async #seen(key: string): Promise<Omit<LeaseReport, 'done'>> {
    const lease = await this.#backend.readLease(key);
    return lease
      ? { holder: lease.owner, ...(lease.remainingMs !== undefined && { remainingMs: lease.remainingMs }) }
      : {};
  }
}

function contradiction(
  method: string,
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
