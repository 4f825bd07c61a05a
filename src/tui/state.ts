import type { BackendSource } from '../lease/backend.js';
import type { Theme } from '../output/theme.js';
import type { Effect } from './effects.js';
import { type Known, type RowsChange, rowWithId } from './known.js';
import { type Layout, layoutOf, type Size, SMALLEST, SMALLEST_FOR_WRITES } from './layout.js';
import type { LeaseRow } from './lease-row.js';
import { isAboutWrite, type Prompt } from './prompt.js';
import type { Replay } from './replay.js';
import { selectedRow, type TableView, viewAfter } from './table-view.js';

/** All that is on the screen and behind it. */
export interface TuiState {
  readonly size: Size;
  /** This host's clock at the last tick. */
  readonly nowMs: number;
  readonly source: BackendSource;
  /** Why nothing can be written; `undefined` when it can. */
  readonly refusal?: string | undefined;
  /** The time that a transfer gives the new owner. */
  readonly transferTtlMs: number;
  readonly known: Known;
  /** What is shown instead while the screen is paused. */
  readonly frozen?: Frozen | undefined;
  readonly view: TableView;
  readonly pane: Pane;
  readonly prompt?: Prompt | undefined;
  readonly notice?: Notice | undefined;
  /** Writes that were sent and not yet answered. */
  readonly pendingWrites: number;
  /** Whether it was said that a write is not answered yet, so that quitting again means it. */
  readonly isLeaving?: boolean;
  readonly replay?: Replay | undefined;
}

/** What was known when the screen was paused, and how much has happened since. */
export interface Frozen {
  readonly known: Known;
  readonly atMs: number;
  readonly missed: number;
}

/** What fills the screen between header and footer. A detail keeps the lease as it was last held. */
export type Pane = LeasePane | { readonly kind: 'help'; readonly behind: LeasePane };

type LeasePane = { readonly kind: 'table' } | { readonly kind: 'detail'; readonly lease: LeaseRow };

/** Something to tell for a few seconds. */
export interface Notice {
  readonly text: string;
  readonly tone: keyof Theme;
  readonly untilMs: number;
}

/** A state, and what is to be done outside. */
export interface Step {
  readonly state: TuiState;
  readonly effects: readonly Effect[];
}

/** A step that does nothing outside. */
export function only(state: TuiState): Step {
  return { state, effects: [] };
}

/** What is known, as it is shown: while paused, what was known then. */
export function shownKnown({ frozen, known }: TuiState): Known {
  return frozen?.known ?? known;
}

/** The moment that is shown, on the clock of the events. */
export function shownAtMs({ frozen, replay, nowMs }: TuiState): number {
  return frozen?.atMs ?? replay?.clockMs ?? nowMs;
}

/** How the lines of the screen are shared out. */
export function layoutOfState({ size, prompt }: TuiState): Layout {
  return layoutOf(size, isAboutWrite(prompt) ? SMALLEST_FOR_WRITES : SMALLEST);
}

/** The lease that a key press is about: the one of the detail, or the selected one. It may have ended meanwhile. */
export function leaseInFocus(state: TuiState): LeaseRow | undefined {
  const { pane, view } = state;
  if (pane.kind !== 'detail') return selectedRow(view);
  return rowWithId(shownKnown(state).rows, pane.lease.id);
}

const NOTICE_MS = 5_000;

/** The state with something to tell. */
export function noticed(state: TuiState, text: string, tone: keyof Theme = 'dim'): TuiState {
  return { ...state, notice: { text, tone, untilMs: state.nowMs + NOTICE_MS } };
}

/** The state with other knowledge, and what of the rows is other in it. */
export function withKnown(state: TuiState, known: Known, change: RowsChange): TuiState {
  const view = viewAfter(state.view, known, change, layoutOfState(state).table);
  const { pane } = state;
  const lease = pane.kind === 'detail' ? rowWithId(known.rows, pane.lease.id) : undefined;
  return { ...state, known, view, ...(lease && { pane: { kind: 'detail', lease } }) };
}
