import { isLeaseError, UnverifiedError } from '../../lease/errors.js';
import type { Lease, LeaseInspector, SeenLease } from '../../lease/inspector.js';
import type { LeaseProvider } from '../../lease/provider.js';
import { LOOKS_AGAIN, pauseBeforeLook } from './look-again.js';
import { shown } from './shown.js';

/** Failures of an inspector that say nothing about a lease: it may not look, or cannot. */
const SAYS_NOTHING: readonly string[] = ['ERR_LEASE_NOT_PERMITTED', 'ERR_LEASE_UNSUPPORTED'];

/**
 * Who holds `key` as the provider says, which is what the application itself would say, with the time left where the
 * inspector names the same owner. `undefined`: nobody, and the inspector does not know better.
 *
 * @throws `ERR_LEASE_UNVERIFIED` when the provider says nobody and the inspector goes on seeing an owner: they look at
 * different places. The inspector's own failure when the provider says nobody and it could not look, or looked at a
 * replica: that is not free.
 */
export async function readSeenLease(
  provider: LeaseProvider,
  inspector: LeaseInspector | undefined,
  key: string,
): Promise<SeenLease | undefined> {
  for (let looks = 0; ; looks += 1) {
    const [owner, seen] = await Promise.all([provider.getLeaseOwner(key), look(inspector, key)]);
    const lease = 'lease' in seen ? seen.lease : undefined;
    if (owner !== undefined && lease?.owner === owner) return lease;
    if (owner !== undefined && (looks > 0 || !('lease' in seen))) return { key, owner };
    if (owner === undefined && lease === undefined) {
      if ('error' in seen) throw seen.error;
      return undefined;
    }
    if (owner === undefined && looks === LOOKS_AGAIN) throw unknownToTheApplication(key, lease?.owner ?? '');
    await pauseBeforeLook(looks);
  }
}

function unknownToTheApplication(key: string, owner: string): UnverifiedError {
  return new UnverifiedError(
    `The application says that nobody holds ${shown(key)}, where ${shown(owner)} is seen holding it`,
    { remedy: 'they look at different places: check `inspect` and `keyPrefix` in the config' },
  );
}

type Look = { readonly lease: Lease | undefined } | { readonly error: unknown } | { readonly nothing: true };

/** Looks by the inspector. What it could not do is a value: the provider may know all the same. */
async function look(inspector: LeaseInspector | undefined, key: string): Promise<Look> {
  if (!inspector) return { nothing: true };
  try {
    return { lease: await inspector.readLease(key) };
  } catch (error) {
    return isLeaseError(error) && SAYS_NOTHING.includes(error.code) ? { nothing: true } : { error };
  }
}
