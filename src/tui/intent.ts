import type { TextEdit } from './prompt.js';

/** What a key press asks for. */
export type Intent =
  | { readonly type: 'move' | 'page'; readonly by: 1 | -1 }
  | { readonly type: 'edge'; readonly to: 'first' | 'last' }
  | { readonly type: 'step'; readonly by: 1 | -1; readonly isEvery: boolean }
  | { readonly type: 'edit'; readonly edit: TextEdit }
  | { readonly type: PlainIntent };

/** An intent with nothing more to say. */
export type PlainIntent =
  | 'open'
  | 'back'
  | 'help'
  | 'filter'
  | 'sort'
  | 'reverse'
  | 'problems'
  | 'pause'
  | 'play'
  | 'export'
  | 'copy'
  | 'transfer'
  | 'release'
  | 'submit'
  | 'cancel'
  | 'redraw'
  | 'quit'
  | 'interrupt';
