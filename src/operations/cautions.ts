import { parseKey } from '../lease/key.js';
import type { KeyVerb, Note } from './outcome.js';
import type { Sight } from './quiet-guard.js';

/** The cautions that go with a write on a thread's own lease; none for other keys. */
export function cautionFor(key: string, verb: KeyVerb, { isBlind }: Sight = {}): readonly Note[] {
  if (parseKey(key).kind !== 'thread') return [];
  return [...(isBlind ? [{ kind: 'run-not-seen' } as const] : []), { kind: 'thread-caution', verb }];
}
