import type { LeaseScope } from '../lease/provider.js';
import type { ConformanceLevel, Requirement } from './levels.js';
import type { ClauseReport } from './report.js';

/**
 * Makes an instance of the provider under test: a provider, or what has a `getLeaseProvider()`. It is called once for
 * each instance that is needed; all of them must see the same leases, unless the scope is `process`. An instance with
 * a `close()` is closed at the end. Answering the same object each time is allowed, and leaves out what needs two.
 */
export type ProviderFactory = () => unknown;

/** Another process that runs {@link serveLeaseProvider}: what `fork` of `node:child_process` gives. */
export interface ProviderProcess {
  send(message: object): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'exit' | 'error', listener: (reason: unknown) => void): unknown;
  kill(signal: 'SIGKILL'): unknown;
}

/** How far a run is. */
export interface ConformanceProgress {
  /** How many clauses are decided. */
  readonly decidedClauses: number;
  /** How many there are to decide. */
  readonly clauses: number;
  /** What is tried now, the longest first: those that do not disturb each other are tried at the same time. */
  readonly running: readonly Pick<ClauseReport, 'id' | 'sentence'>[];
}

/** Options of a run. */
export interface ConformanceOptions {
  /** How far to go; `linearizable` (everything) by default. */
  readonly level?: ConformanceLevel | undefined;
  /** What is a failure here though the contract leaves it open. */
  readonly require?: readonly Requirement[] | undefined;
  /** Who can see the leases. Wins over what the provider declares; taken for `network` where nobody says. */
  readonly scope?: LeaseScope | undefined;
  /** Starts another process whose provider sees the same leases. Without it nothing is tried across processes. */
  readonly startProcess?: (() => ProviderProcess | Promise<ProviderProcess>) | undefined;
  /** Decides the random runs; a random one by default, named in the report. */
  readonly seed?: number | undefined;
  /** How many random runs. By default as many as fit into a few seconds, at most 200. */
  readonly runs?: number | undefined;
  /** How many clients take part in a random run; 4 by default. */
  readonly clients?: number | undefined;
  /** How late, in milliseconds, a lease may end; 100 by default. */
  readonly expiryToleranceMs?: number | undefined;
  /** How long a call may take, in milliseconds; 5000 by default. */
  readonly callTimeoutMs?: number | undefined;
  /** Only these clauses, by their names. */
  readonly clauses?: readonly string[] | undefined;
  /** Told of each clause as it is decided. */
  readonly onClause?: ((clause: ClauseReport) => void) | undefined;
  /** Called when a clause begins and when one is decided. */
  readonly onProgress?: ((progress: ConformanceProgress) => void) | undefined;
  /** Ends the run: it cleans up and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
