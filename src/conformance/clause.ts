import type { RecordedCall } from './call.js';
import type { ConformanceLevel, Requirement } from './levels.js';
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
  /** It keeps the backend busy: where calls are fast nothing else is tried at the same time. */
  readonly isBusy?: true;
  /** What comes before it has to be decided first. */
  readonly comesAfter?: true;
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
}

/** A clause was seen not to hold. */
export class Violation extends Error {
  readonly expected: string;
  /** The calls that show it; all calls of the trial where absent. */
  readonly calls: readonly RecordedCall[] | undefined;
  readonly note: string | undefined;

  constructor(expected: string, shown: { calls?: readonly RecordedCall[]; note?: string } = {}) {
    super(expected);
    this.expected = expected;
    this.calls = shown.calls;
    this.note = shown.note;
  }
}

export function passed(note?: string): Finding {
  return { result: 'passed', note };
}

/**
 * Something that the contract leaves open and an operator should know.
 *
 * @throws {@link Violation} where it is required all the same
 */
export function reported(
  { setting }: Trial,
  requirement: Requirement,
  { expected, ...shown }: { expected: string; note: string; calls: readonly RecordedCall[] },
): Finding {
  if (setting.requirements.has(requirement)) throw new Violation(expected, shown);
  return { result: 'reported', expected, ...shown };
}

export function skipped(note: string): Finding {
  return { result: 'skipped', note };
}

export function notShown(note: string): Finding {
  return { result: 'not shown', note };
}
