import type { LeaseScope, LeaseTraits } from '../lease/provider.js';
import type { RecordedCall } from './call.js';
import type { Endpoint } from './endpoint.js';
import type { Requirement } from './levels.js';
import type { TransferVerdict } from './report.js';

/** A lease that is taken when a run begins and looked at when it ends. */
export interface StandingLease {
  readonly key: string;
  readonly owner: string;
  readonly ttlMs: number;
  readonly claim: RecordedCall;
}

/** What all clauses of a run share. */
export interface Setting {
  readonly scope: LeaseScope;
  readonly traits: LeaseTraits;
  /** What is under test, whether or not it has all methods. */
  readonly candidate: unknown;
  readonly requirements: ReadonlySet<Requirement>;
  readonly seed: number;
  /** Absent: as many as fit. */
  readonly runs: number | undefined;
  readonly clients: number;
  readonly expiryToleranceMs: number;
  readonly callTimeoutMs: number;
  /** How long a call takes, in milliseconds, measured when the run began. */
  readonly roundTripMs: number;
  /** When the run began, on its clock. */
  readonly startMs: number;
  /** What every scratch key of the run begins with. */
  readonly scratch: string;
  /** Absent where methods are missing. */
  readonly standing: StandingLease | undefined;
  /** All that see the same leases, this process's first. None where methods are missing. */
  readonly endpoints: readonly Endpoint[];
  readonly processes: readonly Endpoint[];
  /** An instance for a clause that closes it; `undefined` where there is only one and others still need it. */
  readonly openAnother: () => Promise<ClosableInstance | undefined>;
  readonly signal: AbortSignal | undefined;
  /** What the measurement of `transferLease` came to, once it did. */
  atomicTransfer: TransferVerdict | undefined;
  /** Whether a refusal was seen to be made in several steps. */
  refusesInSteps: boolean;
}

/** An instance that a clause may close. */
export interface ClosableInstance {
  readonly endpoint: Endpoint;
  /** Whether the run has no other. */
  readonly isShared: boolean;
  /** Absent where it has no `close()`. */
  readonly close: (() => Promise<void>) | undefined;
}
