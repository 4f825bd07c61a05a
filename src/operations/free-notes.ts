import type { Backend } from '../lease/backend.js';
import type { Note } from './outcome.js';

/** What is to be known of an answer that nobody holds a key: what it may have missed. */
export function freeNotes({ inspector, source }: Backend): readonly Note[] {
  const { foundBy, isNoop } = source();
  return [
    ...(inspector || isNoop ? [] : [{ kind: 'not-verified' } as const]),
    ...(foundBy === 'default' ? [{ kind: 'implied-backend' } as const] : []),
  ];
}
