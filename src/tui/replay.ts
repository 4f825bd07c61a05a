import type { WatchEvent } from '../operations/watch-event.js';
import { isLogged } from './event-log.js';
import { type Known, learn, NOTHING_KNOWN, type RowsChange } from './known.js';
import type { Recording } from './options.js';

/** A recording that is looked at. */
export interface Replay extends Recording {
  /** How many of its events have happened. */
  readonly position: number;
  readonly isPlaying: boolean;
  /** The moment that is looked at, on the clock of the events. */
  readonly clockMs: number;
  /** What was known at some positions, from where to go on; in the order of their positions. */
  readonly checkpoints: readonly Checkpoint[];
}

interface Checkpoint {
  readonly position: number;
  readonly known: Known;
}

/** A moment of a recording: where it is, what was known then, and what changed in what was known before. */
export interface Moment {
  readonly replay: Replay;
  readonly known: Known;
  readonly change: RowsChange;
}

const CHECKPOINT_EVERY = 1_000;

const BEGINNING: Checkpoint = { position: 0, known: NOTHING_KNOWN };

/** A recording at its first event, standing still. */
export function openReplay(recording: Recording): Moment {
  const replay: Replay = {
    ...recording,
    position: 0,
    isPlaying: false,
    clockMs: 0,
    checkpoints: [BEGINNING],
  };
  return seek(replay, 1);
}

/** The moment right after the event at a position; the first and the last are the ends. */
function seek(replay: Replay, position: number): Moment {
  const { events } = replay;
  const wanted = Math.max(Math.min(1, events.length), Math.min(position, events.length));
  const start = replay.checkpoints.findLast((checkpoint) => checkpoint.position <= wanted) ?? BEGINNING;
  const { known, checkpoints } = advance(start, events.slice(start.position, wanted), replay.checkpoints);
  const clockMs = events[wanted - 1]?.atMs ?? 0;
  return { replay: { ...replay, position: wanted, clockMs, checkpoints }, known, change: 'all' };
}

/** The moment of the next event or the one before; unless every event counts, of the next one that the log shows. */
export function step(replay: Replay, by: 1 | -1, isEvery: boolean): Moment {
  const { events, position } = replay;
  let next = position + by;
  while (!isEvery && next > 1 && next < events.length && !isSteppedTo(events[next - 1])) next += by;
  return seek({ ...replay, isPlaying: false }, next);
}

function isSteppedTo(event: WatchEvent | undefined): boolean {
  return event !== undefined && (event.type === 'snapshot' || isLogged(event));
}

/** The moment after some real milliseconds of playing; at its end a recording stops. */
export function play(replay: Replay, known: Known, elapsedMs: number): Moment {
  const clockMs = replay.clockMs + elapsedMs * replay.speed;
  const { events, position } = replay;
  let end = position;
  for (let event = events[end]; event !== undefined && event.atMs <= clockMs; event = events[end]) end += 1;
  const next = advance({ position, known }, events.slice(position, end), replay.checkpoints);
  const isPlaying = end < events.length;
  return { ...next, replay: { ...replay, position: end, clockMs, isPlaying, checkpoints: next.checkpoints } };
}

function advance(
  { position, known: before }: Checkpoint,
  events: readonly WatchEvent[],
  checkpoints: readonly Checkpoint[],
): { readonly known: Known; readonly change: RowsChange; readonly checkpoints: readonly Checkpoint[] } {
  const { known, change } = learn(before, events);
  const end = position + events.length;
  const last = checkpoints.at(-1)?.position ?? 0;
  const isDue = end >= last + CHECKPOINT_EVERY;
  return { known, change, checkpoints: isDue ? [...checkpoints, { position: end, known }] : checkpoints };
}
