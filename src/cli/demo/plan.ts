import { formatKey, type KeyParts } from '../../lease/key.js';

/** The lease time of the demo's workers, in milliseconds: short enough to see one run out. */
export const DEMO_TTL_MS = 4_000;

/** How many workers there are. */
export const WORKERS = 12;

/** How a worker's hold of a lease ends. `handover`: the next run of the same thread gets it. `silence`: it just stops renewing. */
export type ShiftEnd = 'release' | 'handover' | 'silence' | 'crash';

/** One lease that a worker takes, and what becomes of it. */
export interface Shift {
  readonly waitMs: number;
  readonly key: string;
  readonly run: string;
  readonly holdMs: number;
  readonly end: ShiftEnd;
  /** Who gets it, and for how long, where it is handed over. */
  readonly nextRun: string;
  readonly nextHoldMs: number;
}

/** Which worker, in which life: one that crashed is started again. */
export interface WorkerId {
  readonly seed: number;
  readonly worker: number;
  readonly life: number;
}

const THREADS: readonly KeyParts[] = [
  { kind: 'thread', resource: 'user-42', thread: 'billing' },
  { kind: 'thread', resource: 'user-42', thread: 'refund' },
  { kind: 'thread', resource: 'user-7', thread: 'intro' },
  { kind: 'thread', resource: 'user-3', thread: 'welcome' },
  { kind: 'thread', resource: 'user-19', thread: 'support' },
  { kind: 'thread', resource: 'acme', thread: 'onboarding' },
  { kind: 'thread', resource: 'acme', thread: 'quarterly-report' },
  { kind: 'thread', resource: 'globex', thread: 'incident-114' },
  { kind: 'thread', resource: 'globex', thread: 'code-review' },
  { kind: 'thread', resource: '', thread: 'anonymous' },
  { kind: 'schedule', schedule: 'nightly-digest' },
  { kind: 'notification', resource: 'user-7' },
];

/** What the first workers do first, so that everything there is to see is seen within some seconds. */
const OPENINGS: readonly { readonly end: ShiftEnd; readonly holdMs: number }[] = [
  { end: 'silence', holdMs: 300 },
  { end: 'handover', holdMs: 1_500 },
  { end: 'crash', holdMs: 800 },
  { end: 'release', holdMs: 2_200 },
];

const ENDS: readonly ShiftEnd[] = [
  'release',
  'release',
  'release',
  'handover',
  'handover',
  'silence',
  'crash',
];

/** The shifts of one worker, without end. The same id has the same shifts. */
export function* shiftsOf({ seed, worker, life }: WorkerId): Generator<Shift, never, undefined> {
  const random = randomFrom(seed * 7_919 + worker * 104_729 + life * 1_299_709);
  const below = (count: number) => Math.floor(random() * count);
  const between = (fromMs: number, toMs: number) => fromMs + below(toMs - fromMs);
  const run = () => `run-${below(0x100000000).toString(16).padStart(8, '0')}`;
  for (let index = 0; ; index += 1) {
    const opening = index === 0 && life === 0 ? OPENINGS[worker] : undefined;
    // Now and then another worker's: whoever comes second is refused.
    const home = opening || random() < 0.8 ? worker : worker + 1;
    yield {
      waitMs: opening ? 0 : between(200, 2_500),
      key: formatKey(THREADS[home % THREADS.length] ?? { kind: 'other', text: 'spare' }),
      run: run(),
      holdMs: opening?.holdMs ?? between(4_000, 20_000),
      end: opening?.end ?? ENDS[below(ENDS.length)] ?? 'release',
      nextRun: run(),
      nextHoldMs: between(3_000, 9_000),
    };
  }
}

/** Numbers from 0 to 1 that look random and depend on the seed alone (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
