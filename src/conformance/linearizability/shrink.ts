import type { RecordedCall } from '../call.js';
import type { RegisterModel } from './register.js';
import { isLinearizable } from './search.js';

/**
 * Leaves out of a history what its contradiction does not need: what is left adds up to nothing, whatever the calls that
 * are left out did and answered. The last ones are left out first.
 */
export function shrink(history: readonly RecordedCall[], model: RegisterModel = {}): readonly RecordedCall[] {
  const calls = history.toSorted((a, b) => a.startMs - b.startMs || a.startOrder - b.startOrder);
  const ignored = new Set<RecordedCall>();
  for (const call of calls.toReversed()) {
    ignored.add(call);
    if (isLinearizable(calls, model, ignored)) ignored.delete(call);
  }
  return calls.filter((call) => !ignored.has(call));
}
