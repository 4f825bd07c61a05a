import type { Backend, BackendSource } from '../lease/backend.js';
import type { LeaseError } from '../lease/errors.js';
import type { BackendIdentity } from '../lease/identity.js';
import type { ServerFacts } from '../lease/server-facts.js';
import type { ProbeResult } from './inspection/verified-inspector.js';

/** A backend that was looked at, whether or not it can lease. */
export interface ExaminedBackend {
  readonly identity: BackendIdentity;
  /** Absent when it cannot be used; `refusal` then says why. */
  readonly backend?: Backend;
  readonly refusal?: LeaseError;
  readonly readServerFacts?: () => Promise<ServerFacts>;
  /** Takes one scratch lease through the provider, to prove that its inspector looks at the same place. */
  readonly probe?: () => Promise<ProbeResult> | undefined;
  source(): BackendSource;
  close(): Promise<void>;
}
