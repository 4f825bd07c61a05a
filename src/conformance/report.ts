import type { LeaseScope, LeaseTraits } from '../lease/provider.js';
import type { ConformanceLevel, Requirement } from './levels.js';

/**
 * What a clause came to.
 *
 * - `passed`: it holds, as far as it was tried.
 * - `failed`: it was seen not to hold.
 * - `reported`: something that the contract leaves open and an operator should know.
 * - `not shown`: the machine or the backend was too slow for the measurement to mean anything.
 * - `skipped`: it does not apply here, or could not be tried.
 */
export type ClauseResult = 'passed' | 'failed' | 'reported' | 'not shown' | 'skipped';

/** One call as it was made. Times are milliseconds since the run began. */
export interface CallReport {
  /** Who made it: an instance, a client or a process. */
  readonly client: string;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly startMs: number;
  readonly endMs: number;
  /** What it answered; absent when it threw. */
  readonly answer?: unknown;
  /** Why it threw. */
  readonly failure?: string;
}

/** Why a clause was decided so: what was expected, and the calls in the order in which they were made. */
export interface Evidence {
  readonly expected: string;
  readonly calls: readonly CallReport[];
  /** The same as lines of text: a time line, in which the scratch name is shortened to `~`. */
  readonly timeLine: readonly string[];
}

/** One clause, decided. */
export interface ClauseReport {
  /** Its name, such as `release-by-other`. */
  readonly id: string;
  readonly level: ConformanceLevel;
  /** What must hold. */
  readonly sentence: string;
  /** Where that is written. */
  readonly source: string;
  readonly result: ClauseResult;
  readonly durationMs: number;
  readonly note?: string;
  /** For everything but `passed` and `skipped`, where calls were made. */
  readonly evidence?: Evidence;
}

/** What racing acquirers made of many transfers. */
export type TransferVerdict = 'atomic' | 'not atomic' | 'not shown';

/** A run, finished. */
export interface ConformanceReport {
  /** Whether no clause failed. */
  readonly conforms: boolean;
  readonly level: ConformanceLevel;
  readonly require: readonly Requirement[];
  /** Makes the random runs again. */
  readonly seed: number;
  /** What every scratch key began with. */
  readonly scratch: string;
  /** Who can see the leases, and who says so. */
  readonly scope: {
    readonly value: LeaseScope;
    readonly by: 'option' | 'declared' | 'known class' | 'assumed';
  };
  /** What the provider declares in `leaseTraits`. */
  readonly traits: LeaseTraits;
  /** What was measured; absent when it was not. */
  readonly atomicTransfer?: TransferVerdict;
  /** How many other processes took part. */
  readonly processes: number;
  readonly clauses: readonly ClauseReport[];
  readonly durationMs: number;
}
