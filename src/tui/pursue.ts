import { formatInstant } from '../output/durations.js';
import type { Intent, PlainIntent } from './intent.js';
import { isAboutWrite, typed } from './prompt.js';
import { closed, prompted, relooked } from './prompting.js';
import { step } from './replay.js';
import { ROW_SORTS } from './row-order.js';
import {
  layoutOfState,
  leaseInFocus,
  noticed,
  only,
  type Step,
  shownAtMs,
  type TuiState,
  withKnown,
} from './state.js';
import { planned, submitted } from './submit.js';
import { selectAt, selectedIndex } from './table-view.js';
import { writtenKey } from './written.js';

/** The state after a key press, and what is to be done outside. */
export function pursue(before: TuiState, intent: Intent): Step {
  // What was told was read by whoever presses the next key.
  const state: TuiState = { ...before, notice: undefined };
  const { view } = state;
  const height = layoutOfState(state).table;
  switch (intent.type) {
    case 'move':
      return only(selected(state, selectedIndex(view) + intent.by));
    case 'page':
      return only(selected(state, selectedIndex(view) + intent.by * height));
    case 'edge':
      return only(selected(state, intent.to === 'first' ? 0 : view.shown.length - 1));
    case 'step':
      return only(stepped(state, intent.by, intent.isEvery));
    case 'edit':
      return only(state.prompt ? prompted(state, typed(state.prompt, intent.edit)) : state);
    default:
      return PLAIN[intent.type](state);
  }
}

const PLAIN: Record<PlainIntent, (state: TuiState) => Step> = {
  open: (state) => {
    const lease = leaseInFocus(state);
    return only(lease ? { ...state, pane: { kind: 'detail', lease } } : state);
  },
  back: (state) => {
    const { pane } = state;
    if (pane.kind === 'help') return only({ ...state, pane: pane.behind });
    if (pane.kind === 'detail') return only({ ...state, pane: { kind: 'table' } });
    return only(relooked(state, { filter: '', onlyProblems: false }));
  },
  help: (state) => {
    const { pane } = state;
    return only({ ...state, pane: pane.kind === 'help' ? pane.behind : { kind: 'help', behind: pane } });
  },
  filter: (state) =>
    only(prompted(state, { kind: 'filter', text: state.view.filter, before: state.view.filter })),
  sort: (state) => {
    const { sort, isReversed } = state.view.order;
    const next = ROW_SORTS[(ROW_SORTS.indexOf(sort) + 1) % ROW_SORTS.length] ?? 'worst';
    return only(relooked(state, { order: { sort: next, isReversed } }));
  },
  reverse: (state) => {
    const { sort, isReversed } = state.view.order;
    return only(relooked(state, { order: { sort, isReversed: !isReversed } }));
  },
  problems: (state) => only(relooked(state, { onlyProblems: !state.view.onlyProblems })),
  pause: (state) => {
    const { frozen, known, nowMs } = state;
    if (frozen) return only(withKnown({ ...state, frozen: undefined }, known, 'all'));
    return only({ ...state, frozen: { known, atMs: nowMs, missed: 0 } });
  },
  play: (state) => {
    const { replay } = state;
    if (!replay) return only(state);
    const isAtEnd = replay.position >= replay.events.length;
    return only({ ...state, replay: { ...replay, isPlaying: !replay.isPlaying && !isAtEnd } });
  },
  export: (state) => only(prompted(state, { kind: 'export', text: exportName(shownAtMs(state)) })),
  copy: (state) => {
    const lease = leaseInFocus(state);
    if (!lease) return only(state);
    const told = noticed(state, 'the key was sent to the clipboard');
    return { state: told, effects: [{ type: 'copy', text: writtenKey(lease) }] };
  },
  transfer: (state) => planned(state, (lease) => ({ kind: 'new-owner', lease, text: '' })),
  release: (state) =>
    planned(state, (lease) => ({ kind: 'confirm', write: { verb: 'release', lease }, text: '' })),
  submit: (state) => (state.prompt ? submitted(state, state.prompt) : only(state)),
  cancel: (state) => {
    const { prompt } = state;
    if (prompt?.kind === 'filter') return only(relooked(closed(state), { filter: prompt.before }));
    return only(isAboutWrite(prompt) ? noticed(closed(state), 'cancelled: nothing was sent') : closed(state));
  },
  redraw: (state) => ({ state, effects: [{ type: 'redraw' }] }),
  quit: (state) => {
    if (state.pendingWrites === 0 || state.isLeaving)
      return { state, effects: [{ type: 'exit', exitCode: 0 }] };
    const asked = noticed(
      state,
      'a write was sent and is not answered yet: q again leaves without its answer',
      'warn',
    );
    return only({ ...asked, isLeaving: true });
  },
  interrupt: (state) => ({ state, effects: [{ type: 'exit', exitCode: 130 }] }),
};

function stepped(state: TuiState, by: 1 | -1, isEvery: boolean): TuiState {
  if (!state.replay) return state;
  const { replay, known, change } = step(state.replay, by, isEvery);
  return withKnown({ ...state, replay }, known, change);
}

function selected(state: TuiState, index: number): TuiState {
  return { ...state, view: selectAt(state.view, index, layoutOfState(state).table) };
}

/** A name in the current folder that sorts by time. */
function exportName(atMs: number): string {
  return `mastra-lease-${formatInstant(atMs).replace(/[-:]|\.\d+/g, '')}.txt`;
}
