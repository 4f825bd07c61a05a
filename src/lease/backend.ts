import type { LeaseInspector, LeaseReporter } from './inspector.js';
import type { LeaseProvider, LeaseScope } from './provider.js';

/** Where leases live, opened. */
export interface Backend {
  readonly provider: LeaseProvider;
  readonly reporter: LeaseReporter;
  readonly inspector: LeaseInspector;
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
  readonly scope: LeaseScope;
  /** Redis: the prefix of its lease records. */
  readonly keyPrefix?: string;
  readonly database?: number;
  /** Redis: what the server is, once it answered. `unverified`: it did not say. */
  readonly role?: 'primary' | 'replica' | 'unverified';
}
