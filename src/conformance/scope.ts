import type { LeaseScope, LeaseTraits } from '../lease/provider.js';
import { isObject } from './call.js';
import type { ConformanceReport } from './report.js';

/** Mastra's own provider whose leases live in the process, and which does not say so. */
const PROCESS_LOCAL = 'EventEmitterPubSub';

/** Who can see the leases: what the caller says, what the provider declares, what is known of its class. */
export function scopeOf(
  candidate: unknown,
  traits: LeaseTraits,
  option: LeaseScope | undefined,
): ConformanceReport['scope'] {
  if (option !== undefined) return { value: option, by: 'option' };
  if (traits.scope !== undefined) return { value: traits.scope, by: 'declared' };
  return classOfLeases(candidate) === PROCESS_LOCAL
    ? { value: 'process', by: 'known class' }
    : { value: 'network', by: 'assumed' };
}

/** The class whose `acquireLease` runs. */
function classOfLeases(candidate: unknown): string | undefined {
  for (let at = candidate; isObject(at); at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, 'acquireLease')) return at.constructor.name.replace(/^(?:bound )+/, '');
  }
  return undefined;
}
