import type { LeaseMethod, LeaseTraits } from './provider.js';

/** What a backend is, as far as it could be told without asking a server. */
export interface BackendIdentity {
  /** The class of the provider, or of what was found in place of one. */
  readonly className: string;
  /** The application's module it came from; absent for a backend named by a URL. */
  readonly file?: string;
  /** The way from the module to the provider, such as `export mastra`, `.pubsub`, `getLeaseProvider()`. */
  readonly unwrapping: readonly string[];
  /** Which methods of the contract there are. */
  readonly methods: Readonly<Record<LeaseMethod, boolean>>;
  readonly traits: LeaseTraits;
  /**
   * Leases that others cannot see or that do not outlive the caller: `process` when they live in one process's memory,
   * `caller` when a lease counts as free once the process that took it is gone.
   */
  readonly confinement?: 'process' | 'caller';
  /** What lists the leases, and how it was found. */
  readonly inspector?: InspectorIdentity;
  /** What an operator should know, one line each. */
  readonly warnings: readonly string[];
}

/** What lists the leases of a backend. */
export interface InspectorIdentity {
  readonly name: string;
  /** `own`: the provider itself. `introspection`: read off the provider's private fields. */
  readonly how: 'own' | 'config inspect' | 'introspection' | 'REDIS_URL' | 'VALKEY_URL';
  /** Whether prefix and connection came from the provider itself, so that an empty listing means something. */
  readonly isTrusted: boolean;
}
