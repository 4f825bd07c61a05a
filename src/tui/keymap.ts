import type { Intent, PlainIntent } from './intent.js';
import { layoutOfState, type TuiState } from './state.js';

/** Where a key means something: what the screen shows, or that something is being typed. */
export type KeyPlace = 'table' | 'detail' | 'help' | 'typing' | 'too-small';

/** What keys do, and where. */
export interface Binding {
  /** Names of keys, as `keyNames` gives them. */
  readonly keys: readonly string[];
  readonly intent: Intent;
  readonly places: readonly KeyPlace[];
  /** Live, or in a recording; both unless it says. */
  readonly only?: 'live' | 'replay';
  /** The line of the help: the keys, and what they do. Keys that belong together have one line, with the first. */
  readonly help?: Words;
  /** What stands in the line at the bottom, for the keys that are worth a place there. */
  readonly hint?: Words;
  /** Whether it is pointless where nothing can be written; the help tells of it all the same. */
  readonly isWrite?: true;
}

/** Keys as they are shown, and a few words. */
export type Words = readonly [keys: string, words: string];

const READING: readonly KeyPlace[] = ['table', 'detail'];
const ANYWHERE: readonly KeyPlace[] = ['table', 'detail', 'help', 'too-small'];

/** Every key, once. The help and the line at the bottom are made from it. */
export const KEYMAP: readonly Binding[] = [
  {
    ...plain('help', ['?'], ['table', 'detail', 'help']),
    help: ['?', 'this help, and back'],
    hint: ['?', 'help'],
  },
  {
    keys: ['up', 'k'],
    intent: { type: 'move', by: -1 },
    places: ['table'],
    help: ['↑↓ kj', 'one up, one down'],
  },
  { keys: ['down', 'j'], intent: { type: 'move', by: 1 }, places: ['table'] },
  {
    keys: ['pageup', 'ctrl+b'],
    intent: { type: 'page', by: -1 },
    places: ['table'],
    help: ['PgUpDn', 'a page up, down'],
  },
  { keys: ['pagedown', 'ctrl+f'], intent: { type: 'page', by: 1 }, places: ['table'] },
  {
    keys: ['g', 'home'],
    intent: { type: 'edge', to: 'first' },
    places: ['table'],
    help: ['g G', 'the first, the last'],
  },
  { keys: ['G', 'end'], intent: { type: 'edge', to: 'last' }, places: ['table'] },
  { ...plain('filter', ['/'], ['table']), help: ['/', 'filter, see below'], hint: ['/', 'filter'] },
  { ...plain('sort', ['s'], ['table']), help: ['s S', 'sort by; turn round'], hint: ['s', 'sort'] },
  plain('reverse', ['S'], ['table']),
  { ...plain('problems', ['f'], ['table']), help: ['f', 'only problems, or all'], hint: ['f', 'problems'] },
  { ...plain('open', ['enter'], ['table']), help: ['⏎', 'details, history'], hint: ['⏎', 'detail'] },
  {
    ...plain('back', ['escape'], ['table', 'detail', 'help']),
    help: ['esc', 'back, or no filter'],
  },
  {
    ...plain('pause', [' '], READING),
    only: 'live',
    help: ['space', 'pause, and go on'],
    hint: ['space', 'pause'],
  },
  {
    ...plain('play', [' '], READING),
    only: 'replay',
    help: ['space', 'play, stand still'],
    hint: ['space', 'play'],
  },
  {
    keys: ['left'],
    intent: { type: 'step', by: -1, isEvery: false },
    places: READING,
    only: 'replay',
    help: ['← →', 'one event back, on'],
    hint: ['←→', 'step'],
  },
  { keys: ['right'], intent: { type: 'step', by: 1, isEvery: false }, places: READING, only: 'replay' },
  {
    keys: [','],
    intent: { type: 'step', by: -1, isEvery: true },
    places: READING,
    only: 'replay',
    help: [', .', 'the same, renewals too'],
  },
  { keys: ['.'], intent: { type: 'step', by: 1, isEvery: true }, places: READING, only: 'replay' },
  {
    ...plain('transfer', ['t'], READING),
    only: 'live',
    isWrite: true,
    help: ['t', 'transfer (--write)'],
    hint: ['t', 'transfer'],
  },
  {
    ...plain('release', ['x'], READING),
    only: 'live',
    isWrite: true,
    help: ['x', 'release (--write)'],
    hint: ['x', 'release'],
  },
  { ...plain('copy', ['c'], READING), help: ['c', 'copy the key'] },
  { ...plain('export', ['e'], READING), help: ['e', 'export to a file'] },
  { ...plain('redraw', ['ctrl+l'], ANYWHERE), help: ['^L', 'draw it all again'] },
  { ...plain('quit', ['q'], ANYWHERE), help: ['q ^C', 'quit; at once'], hint: ['q', 'quit'] },
  plain('interrupt', ['ctrl+c'], [...ANYWHERE, 'typing']),
  { ...plain('submit', ['enter'], ['typing']), hint: ['⏎', 'done'] },
  { ...erasing('erase', ['backspace', 'delete', 'ctrl+h']) },
  { ...erasing('erase-word', ['ctrl+w']), hint: ['^W', 'erase word'] },
  { ...erasing('erase-all', ['ctrl+u']), hint: ['^U', 'erase all'] },
  { ...plain('cancel', ['escape'], ['typing']), hint: ['esc', 'cancel'] },
];

function plain(type: PlainIntent, keys: readonly string[], places: readonly KeyPlace[]): Binding {
  return { keys, intent: { type }, places };
}

function erasing(how: 'erase' | 'erase-word' | 'erase-all', keys: readonly string[]): Binding {
  return { keys, intent: { type: 'edit', edit: { how, text: '' } }, places: ['typing'] };
}

/** Where the keys go now. */
export function placeOf(state: TuiState): KeyPlace {
  if (layoutOfState(state).isTooSmall) return 'too-small';
  return state.prompt ? 'typing' : state.pane.kind;
}

/** The bindings of a place, live or in a recording. */
export function bindingsAt(place: KeyPlace, isReplay: boolean): readonly Binding[] {
  return KEYMAP.filter(
    ({ places, only }) => places.includes(place) && (only === undefined || (only === 'replay') === isReplay),
  );
}

/** What a key asks for; typing takes any other key as text. */
export function intentOf(key: string, place: KeyPlace, isReplay: boolean): Intent | undefined {
  const binding = bindingsAt(place, isReplay).find(({ keys }) => keys.includes(key));
  if (binding) return binding.intent;
  // Names of keys are longer than the one character that a key types.
  if (place !== 'typing' || [...key].length > 1) return undefined;
  return { type: 'edit', edit: { how: 'insert', text: key } };
}
