import type { BackendSource } from '../../src/lease/backend.js';
import type { WatchEvent } from '../../src/operations/watch-event.js';
import type { Effect } from '../../src/tui/effects.js';
import { intentOf, placeOf } from '../../src/tui/keymap.js';
import type { Recording } from '../../src/tui/options.js';
import { type Action, firstState, reduce } from '../../src/tui/reducer.js';
import type { TuiState } from '../../src/tui/state.js';

/** When the tests begin, in milliseconds since the epoch. */
export const START_MS = Date.UTC(2026, 10, 29, 2, 14, 0);

const SOURCE: BackendSource = {
  backend: 'redis://10.0.0.5:6379/0',
  foundBy: '--backend',
  keyPrefix: 'mastra:topic',
  role: 'primary',
  scope: 'network',
};

/** The reducer with its state, as the screen runs it, without a screen. */
export class Run {
  state: TuiState;
  readonly effects: Effect[] = [];

  constructor({
    refusal,
    recording,
    source = SOURCE,
    size = { columns: 100, rows: 30 },
  }: {
    readonly refusal?: string;
    readonly recording?: Recording;
    readonly source?: BackendSource;
    readonly size?: TuiState['size'];
  } = {}) {
    this.state = firstState({ size, nowMs: START_MS, source, refusal, transferTtlMs: 15_000 }, recording);
  }

  do(...actions: readonly Action[]): this {
    for (const action of actions) {
      const { state, effects } = reduce(this.state, action);
      this.state = state;
      this.effects.push(...effects);
    }
    return this;
  }

  see(...events: readonly WatchEvent[]): this {
    return this.do({ type: 'events', events });
  }

  /** Presses keys, by their names. */
  press(...names: readonly string[]): this {
    for (const name of names) {
      const intent = intentOf(name, placeOf(this.state), this.state.replay !== undefined);
      if (intent) this.do(intent);
    }
    return this;
  }

  type(text: string): this {
    return this.press(...text);
  }

  wait(ms: number): this {
    const { nowMs, source } = this.state;
    return this.do({ type: 'tick', nowMs: nowMs + ms, source });
  }
}
