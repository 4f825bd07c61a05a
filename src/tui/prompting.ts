import type { Prompt } from './prompt.js';
import { layoutOfState, shownKnown, type TuiState } from './state.js';
import { lookedAt, type TableView } from './table-view.js';

/** The state with its table looked at in another way. */
export function relooked(
  state: TuiState,
  wanted: Partial<Pick<TableView, 'order' | 'filter' | 'onlyProblems'>>,
): TuiState {
  const view = lookedAt(state.view, wanted, shownKnown(state), layoutOfState(state).table);
  return { ...state, view };
}

/** The state with a line to type into. A filter is applied while it is typed. */
export function prompted(state: TuiState, prompt: Prompt): TuiState {
  const next = { ...state, prompt };
  const isOther = prompt.kind === 'filter' && prompt.text !== state.view.filter;
  return isOther ? relooked(next, { filter: prompt.text }) : next;
}

/** The state without the line that was typed into. */
export function closed(state: TuiState): TuiState {
  return { ...state, prompt: undefined };
}
