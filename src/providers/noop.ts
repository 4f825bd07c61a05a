import type { LeaseReporter } from '../lease/inspector.js';
import type { LeaseProvider } from '../lease/provider.js';

/**
 * What Mastra's runtime falls back to on a backend without leases: everyone wins, nobody is ever the owner. It elects
 * no one, so use it only where the user has asked for it.
 */
export const noopLeaseProvider: LeaseProvider = {
  acquireLease: async (_key, owner) => ({ acquired: true, owner }),
  getLeaseOwner: async () => undefined,
  releaseLease: async () => {},
  renewLease: async () => true,
  transferLease: async () => true,
};

/** The fallback's own reports: reading back would contradict every one of them. */
export const noopLeaseReporter: LeaseReporter = {
  tryAcquire: async (_key, owner) => ({ done: true, holder: owner, refreshed: false }),
  tryRelease: async () => ({ done: true }),
  tryRenew: async (_key, owner) => ({ done: true, holder: owner }),
  tryTransfer: async (_key, _fromOwner, toOwner) => ({ done: true, holder: toOwner }),
};
