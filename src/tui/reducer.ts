import type { BackendSource } from '../lease/backend.js';
import type { WatchEvent } from '../operations/watch-event.js';
import type { Answer } from './effects.js';
import { type LogEntry, logged } from './event-log.js';
import type { Intent } from './intent.js';
import { type Known, learn, NOTHING_KNOWN } from './known.js';
import type { Size } from './layout.js';
import { entryText } from './log-text.js';
import type { Recording } from './options.js';
import { pursue } from './pursue.js';
import { openReplay, play } from './replay.js';
import { layoutOfState, noticed, only, type Step, type TuiState, withKnown } from './state.js';
import { FIRST_VIEW, scrolled } from './table-view.js';

/** What can happen to the state. */
export type Action =
  | Intent
  | Answer
  | { readonly type: 'events'; readonly events: readonly WatchEvent[] }
  | { readonly type: 'ended' }
  | { readonly type: 'tick'; readonly nowMs: number; readonly source: BackendSource }
  | { readonly type: 'resized'; readonly size: Size };

/** The state before anything is known. */
export function firstState(
  given: Pick<TuiState, 'size' | 'nowMs' | 'source' | 'refusal' | 'transferTtlMs'>,
  recording: Recording | undefined,
): TuiState {
  const state: TuiState = {
    ...given,
    known: NOTHING_KNOWN,
    view: FIRST_VIEW,
    pane: { kind: 'table' },
    pendingWrites: 0,
  };
  if (!recording) return state;
  const { replay, known, change } = openReplay(recording);
  return withKnown({ ...state, replay }, known, change);
}

/** The state after an action. Pure: live changes, a recording and a test all come this way. */
export function reduce(state: TuiState, action: Action): Step {
  const { nowMs: atMs } = state;
  switch (action.type) {
    case 'events':
      return only(afterEvents(state, action.events));
    case 'ended':
      return only(afterEvents(state, [{ type: 'backend-down', atMs, reason: 'nothing is told any more' }]));
    case 'tick':
      return only(ticked(state, action.nowMs, action.source));
    case 'resized':
      return only(resized({ ...state, size: action.size }));
    case 'written':
      return only(told(answered(state), { type: 'outcome', atMs, outcome: action.outcome }));
    case 'write-failed': {
      const { write, message } = action;
      const { verb, lease } = write;
      return only(told(answered(state), { type: 'failure', atMs, verb, key: lease.key, message }));
    }
    case 'noted':
      return only(withEntry(state, { type: 'note', atMs, word: action.word, text: action.text }));
    default:
      return pursue(state, action);
  }
}

function afterEvents(state: TuiState, events: readonly WatchEvent[]): TuiState {
  const { known, change } = learn(state.known, events);
  if (!state.frozen) return withKnown(state, known, change);
  return { ...state, known, frozen: { ...state.frozen, missed: state.frozen.missed + events.length } };
}

function resized(state: TuiState): TuiState {
  return { ...state, view: scrolled(state.view, layoutOfState(state).table) };
}

function ticked(before: TuiState, nowMs: number, source: BackendSource): TuiState {
  const { notice, replay, nowMs: lastMs } = before;
  const state: TuiState = {
    ...before,
    nowMs,
    source,
    notice: notice && notice.untilMs > nowMs ? notice : undefined,
  };
  if (!replay?.isPlaying) return state;
  const moment = play(replay, state.known, Math.max(0, nowMs - lastMs));
  return withKnown({ ...state, replay: moment.replay }, moment.known, moment.change);
}

function answered(state: TuiState): TuiState {
  return { ...state, pendingWrites: state.pendingWrites - 1 };
}

/** What came of a write is also told where there is no log on the screen. */
function told(state: TuiState, entry: LogEntry): TuiState {
  const { subject, tone } = entryText(entry);
  return noticed(withEntry(state, entry), subject, tone);
}

/** An entry of the user's own shows at once, paused or not. */
function withEntry(state: TuiState, entry: LogEntry): TuiState {
  const { known, frozen } = state;
  const write = (to: Known): Known => ({ ...to, log: logged(to.log, [entry]) });
  return {
    ...state,
    known: write(known),
    ...(frozen && { frozen: { ...frozen, known: write(frozen.known) } }),
  };
}
