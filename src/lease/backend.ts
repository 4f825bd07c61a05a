import type { ThreadEvidence } from './evidence.js';
import type { LeaseInspector, LeaseReporter, SeenLease } from './inspector.js';
import type { LeaseProvider, LeaseScope } from './provider.js';

/** Where leases live, opened. */
export interface Backend {
  readonly provider: LeaseProvider;
  /** The provider's own reports; absent for a provider that keeps the contract alone. */
  readonly reporter?: LeaseReporter;
  /** What can list the leases; absent where nothing can. */
  readonly inspector?: LeaseInspector;
  /** What can read the threads' event streams; absent where there are none, as in SQLite. */
  readonly evidence?: ThreadEvidence;
  /** Who holds `key`, as the provider says, with the time left where it can be seen. */
  readLease(key: string): Promise<SeenLease | undefined>;
  /** Where an answer came from, as far as it is known by now: a server's role is known after its first answer. */
  source(): BackendSource;
  close(): Promise<void>;
}

/** What every answer says about where it came from. Holds no secret. */
export interface BackendSource {
  /** The backend's name without user info. */
  readonly backend: string;
  /** How it was found: `--backend`, the variable that named it, or `default`. */
  readonly foundBy: string;
  /** Absent when the provider does not say. */
  readonly scope?: LeaseScope;
  /** The context of a config file that named it. */
  readonly context?: string;
  /** The server behind a provider that an application brought, where it is known, without user info. */
  readonly server?: string;
  /** The class of a provider that an application brought. */
  readonly provider?: string;
  /** The runtime's fallback for a backend without leases: every caller wins. */
  readonly isNoop?: true;
  /** Redis: the prefix of its lease records. */
  readonly keyPrefix?: string;
  readonly database?: number;
  /** Redis: what the server is, once it answered. `unverified`: it did not say. */
  readonly role?: 'primary' | 'replica' | 'unverified';
}
