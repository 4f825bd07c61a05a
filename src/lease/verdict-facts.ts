import type { ThreadActivity } from './evidence.js';
import type { SeenLease } from './inspector.js';

/** What is the matter with a key, worst first. */
export const VERDICTS = [
  'doubled',
  'orphaned',
  'lapsed',
  'no-expiry',
  'late',
  'disputed',
  'silent',
  'unknown',
  'unseen',
  'parked',
  'working',
  'free',
] as const;
/** One of {@link VERDICTS}. */
export type Verdict = (typeof VERDICTS)[number];

/** What was seen of a key; a verdict is a pure function of it. */
export interface VerdictFacts {
  readonly key: string;
  /** Absent: nobody holds it. */
  readonly lease?: SeenLease;
  /**
   * Renewals seen while it was looked at, between which times they came, and how long ago the last one did; absent where
   * it was looked at once.
   */
  readonly renewals?: {
    readonly seen: number;
    readonly intervalMs?: number;
    readonly lastAgoMs?: number;
    readonly watchedMs: number;
  };
  /** `read`: see `activity`. `no-stream`: the backend has none for this key. `unavailable`: it cannot be read here. */
  readonly evidence: 'read' | 'no-stream' | 'unavailable';
  readonly activity?: ThreadActivity;
  /** Whether anything at all is leased under this prefix; absent where that was not asked. */
  readonly isPrefixUsed?: boolean;
  /** The lease time that the runtime is taken to use. */
  readonly ttlMs: number;
}

/** From when on something counts as what, in milliseconds. */
export interface VerdictThresholds {
  /** A held, renewed thread without an event for so long is silent. */
  readonly silentAfterMs: number;
  /** An event younger than this is fresh: something produces it now. */
  readonly freshWithinMs: number;
}

/** What `inspect` judges by unless it is told otherwise. */
export const DEFAULT_THRESHOLDS: VerdictThresholds = { silentAfterMs: 60_000, freshWithinMs: 30_000 };

/** A run in one process, and when it was heard of last (milliseconds since the epoch, on the clock of the events). */
export interface ProducingRun {
  readonly runId: string;
  readonly process?: string;
  readonly lastEventAtMs: number;
}

/** A verdict with what it rests on. */
export interface Judgement {
  readonly verdict: Verdict;
  /** One plain sentence: why, with the ages and names that decided. Text in it is not escaped. */
  readonly why: string;
  /** Until then (milliseconds from the reading) a dead holder looks like a live one. */
  readonly cannotTellForMs?: number;
  /** The runs that it is about, where there are events; one run twice where two processes produce under its id. */
  readonly runs?: readonly ProducingRun[];
}
