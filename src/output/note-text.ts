import { escapeText } from '../lease/text.js';
import type { KeyOutcome, KeyVerb, Note } from '../operations/outcome.js';
import { describeKey } from './key-words.js';
import { printable } from './printable.js';

/** Whether a note warns of what a write can cause, or just informs. */
export function isCaution(note: Note): boolean {
  return note.kind === 'thread-caution' || note.kind === 'run-not-seen';
}

/** A note in one line. */
export function noteText(note: Note, { key, source }: KeyOutcome): string {
  switch (note.kind) {
    case 'found-as-thread':
      return `${escapeText(note.asked)} itself is not held; this is ${key === undefined ? '' : describeKey(key)}, the one held thread with that id`;
    case 'found-resource':
      return `the one held thread with that id: ${key === undefined ? '' : describeKey(key)}`;
    case 'nothing-leased':
      return source.keyPrefix === undefined
        ? 'nothing at all is leased there'
        : `nothing at all is leased under the prefix ${escapeText(source.keyPrefix)}: is it the application's (--key-prefix)?`;
    case 'not-a-runtime-key':
      return "Mastra's runtime does not use this key: a thread's is named by --resource and --thread";
    case 'not-renewed':
      return 'nothing renews it: it ends by itself unless it is renewed before';
    case 'not-verified':
      return `only ${printable(source.provider ?? source.backend)} itself says so: nothing else could be asked whether it looks where the application's leases are`;
    case 'implied-backend':
      return "no backend was named, so this is only the embedded one of this host: an application's leases are elsewhere";
    case 'ambiguous-ids':
      return 'the key has a second NUL: where its resource ends and its thread begins is a guess';
    case 'step-fence':
      return 'a step fence is kept on purpose until it expires, and left out of a bulk';
    case 'run-not-seen':
      return 'no event of this thread is here: whether its run is at work was not seen';
    case 'thread-caution':
      return THREAD_CAUTION[note.verb];
  }
}

/** What a write on a thread's lease can cause, by its verb. */
export const THREAD_CAUTION: Record<KeyVerb, string> = {
  owner: '',
  acquire:
    'while this holds the thread, senders hand their messages to this owner: unless it is a live run, they are swallowed',
  release:
    'this stops no run: one that held it goes on, perhaps beside the next, and other processes can no longer abort it (abort first, logs second, release third)',
  renew: 'the thread stays blocked for everyone else until then, even when the run that holds it is dead',
  transfer:
    'this stops no run: the old one goes on and other processes can no longer abort it; and unless the new owner is a live run, it swallows the messages sent to it',
};
