import type { RecordedCall } from './call.js';
import type { ConformanceLevel } from './levels.js';
import type { TransferVerdict } from './report.js';
import type { Trial } from './trial.js';

/** One promise of the contract, and how it is tried. */
export interface Clause {
  readonly id: string;
  readonly level: ConformanceLevel;
  /** What must hold, as a plain sentence. */
  readonly sentence: string;
  /** Where that is written. */
  readonly source: string;
  /** What it cannot be tried without. */
  readonly needs?: 'shared leases' | 'processes';
  /** It keeps the backend busy, or has to come at its place: nothing else is tried at the same time. */
  readonly isAlone?: true;
  /** @throws {@link Violation} where the clause was seen not to hold. */
  run(trial: Trial): Promise<Finding>;
}

/** What trying a clause came to, where it was not violated. */
export interface Finding {
  readonly result: 'passed' | 'reported' | 'not shown' | 'skipped';
  readonly note?: string | undefined;
  /** What an operator should know, with the calls that show it. */
  readonly expected?: string | undefined;
  readonly calls?: readonly RecordedCall[] | undefined;
  readonly atomicTransfer?: TransferVerdict | undefined;
}

/** A clause was seen not to hold. */
export class Violation extends Error {
  readonly expected: string;
  /** The calls that show it; all calls of the trial where absent. */
  readonly calls: readonly RecordedCall[] | undefined;
  readonly note: string | undefined;
  readonly atomicTransfer: TransferVerdict | undefined;

  constructor(
    expected: string,
    shown: { calls?: readonly RecordedCall[]; note?: string; atomicTransfer?: TransferVerdict } = {},
  ) {
    super(expected);
    this.expected = expected;
    this.calls = shown.calls;
    this.note = shown.note;
    this.atomicTransfer = shown.atomicTransfer;
  }
}

export function passed(note?: string): Finding {
  return { result: 'passed', note };
}

export function skipped(note: string): Finding {
  return { result: 'skipped', note };
}

export function notShown(note: string): Finding {
  return { result: 'not shown', note };
}
