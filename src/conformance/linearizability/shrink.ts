import { precedes, type RecordedCall } from '../call.js';
import { changesNothing } from './register.js';
import { type ExpiryBounds, isLinearizable } from './search.js';

/**
 * Leaves out of a history what its contradiction does not need, such that no history that adds up is made to look as if
 * it did not: calls that began after all others had ended, and calls that changed nothing.
 */
export function shrink(history: readonly RecordedCall[], bounds?: ExpiryBounds): readonly RecordedCall[] {
  let calls = history.toSorted((a, b) => a.startMs - b.startMs || a.startOrder - b.startOrder);
  for (let last = calls.at(-1); last; last = calls.at(-1)) {
    const rest = calls.slice(0, -1);
    const began = last;
    if (!rest.every((call) => precedes(call, began)) || isLinearizable(rest, bounds)) break;
    calls = rest;
  }
  for (const call of calls.filter(changesNothing)) {
    const rest = calls.filter((other) => other !== call);
    if (!isLinearizable(rest, bounds)) calls = rest;
  }
  return calls;
}
