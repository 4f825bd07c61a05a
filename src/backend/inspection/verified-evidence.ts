import { UnverifiedError } from '../../lease/errors.js';
import type { ReadThreadOptions, ThreadActivity, ThreadEvidence } from '../../lease/evidence.js';
import type { LeaseInspector } from '../../lease/inspector.js';
import type { LeaseProvider } from '../../lease/provider.js';
import { readSeenLease } from './seen-lease.js';
import type { VerifiedInspector } from './verified-inspector.js';

/** What reads events where the application's leases are believed to be. */
export interface VerifiedEvidenceOptions {
  readonly evidence: ThreadEvidence;
  /** Looks at the leases in the same place. */
  readonly inspector: LeaseInspector;
  /** What the place calls itself. */
  readonly name: string;
  /** The application's provider, by which the place is verified. */
  readonly provider: LeaseProvider;
  /** The same place, as far as its listing was verified. */
  readonly verified: VerifiedInspector;
}

/**
 * Events that are believed only where the place is the application's: its provider names the owner that is seen there, or
 * has done so before, or the place was read off the provider itself. Elsewhere a thread of the same name may be another's.
 */
export class VerifiedEvidence implements ThreadEvidence {
  readonly #options: VerifiedEvidenceOptions;

  constructor(options: VerifiedEvidenceOptions) {
    this.#options = options;
  }

  async readThread(threadKey: string, options?: ReadThreadOptions): Promise<ThreadActivity | undefined> {
    const { evidence, inspector, name, provider, verified } = this.#options;
    const [lease, activity] = await Promise.all([
      readSeenLease(provider, inspector, threadKey),
      evidence.readThread(threadKey, options),
    ]);
    const isAgreed = lease?.remainingMs !== undefined;
    if (isAgreed || (!lease && verified.isBelieved)) return activity;
    throw new UnverifiedError(
      `Whether the application's events are those in ${name} could not be checked by a lease that both see`,
      { remedy: 'say where they are by `inspect` and `keyPrefix` in the config, or list the leases first' },
    );
  }
}
