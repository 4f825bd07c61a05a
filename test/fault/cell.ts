import type { Fault, Held } from './fault.js';

/** The owner that holds a lease before, and another who asks. */
export const HOLDER = 'run-1';
export const NEWCOMER = 'run-2';

/** What an answer says about a key. */
export type Claim = { readonly free: true } | { readonly heldBy: string } | { readonly notHeldBy: string };

/** One verb on one key: what it is, and what is there before. */
export interface Situation {
  readonly surface: 'cli' | 'library';
  readonly verb: string;
  /** Whether {@link HOLDER} holds the key before. */
  readonly isHeld: boolean;
  readonly isWrite: boolean;
}

/** What a verb came to. */
export interface Outcome {
  /** The exit code; for the library what the call answered, or the code of its error. */
  readonly answer: string;
  /** What the answer says about the key; `undefined` where it says nothing. */
  readonly claim: Claim | undefined;
  /** Whether it was an error rather than an answer. */
  readonly hasFailed: boolean;
  /** What a person reads. */
  readonly said: string;
  /** Everything that was printed, or that a log would show. */
  readonly output: string;
  readonly ms: number;
  /** How long it may take. */
  readonly allowedMs: number;
}

/** What one verb met, and what was there afterwards. */
export interface Cell extends Situation, Outcome {
  readonly before: Held | undefined;
  readonly after: Held | undefined;
  /** How often the record was changed; `undefined` where that cannot be seen. */
  readonly effects: number | undefined;
}

/** All that happened under one fault. */
export interface FaultReport {
  readonly fault: Fault;
  /** What it took, meanwhile, to start a program that only prints its version. */
  readonly startMs: number;
  readonly cells: readonly Cell[];
  /** What kept the library's process alive after its providers were closed. */
  readonly leftOpen: readonly string[];
  /** What the library's process printed, which nobody asked for. */
  readonly printed: string;
}
