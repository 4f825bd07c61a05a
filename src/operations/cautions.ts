import { parseKey } from '../lease/key.js';
import type { KeyVerb, Note } from './outcome.js';

/** The caution that goes with a write on a thread's own lease; none for other keys. */
export function cautionFor(key: string, verb: KeyVerb): readonly Note[] {
  return parseKey(key).kind === 'thread' ? [{ kind: 'thread-caution', verb }] : [];
}
