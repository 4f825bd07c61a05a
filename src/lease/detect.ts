import type { ThreadEvidence } from './evidence.js';
import type { LeaseInspector, LeaseReporter, LeaseWatcher } from './inspector.js';
import { LEASE_METHODS, type LeaseMethod, type LeaseProvider, type LeaseTraits } from './provider.js';

/** What {@link resolveLeaseProvider} found. */
export type LeaseResolution =
  | { readonly kind: 'provider'; readonly provider: LeaseProvider; readonly via: 'self' | 'getLeaseProvider' }
  | {
      readonly kind: 'none';
      readonly missing: readonly LeaseMethod[];
      readonly via: 'self' | 'getLeaseProvider';
    };

/**
 * Whether `value` has all five methods of the contract. Structural, never `instanceof`: a provider may come from
 * another copy of `@mastra/core`, or from none.
 *
 * @example
 * ```ts
 * import { isLeaseProvider, noopLeaseProvider } from 'mastra-lease';
 *
 * isLeaseProvider(noopLeaseProvider); // => true
 * isLeaseProvider({ acquireLease: async () => ({ acquired: true }) }); // => false
 * ```
 */
export function isLeaseProvider(value: unknown): value is LeaseProvider {
  return missingLeaseMethods(value).length === 0;
}

/**
 * The contract's methods that `value` does not have, in the contract's order; all five for a primitive.
 *
 * @example
 * ```ts
 * import { missingLeaseMethods, noopLeaseProvider } from 'mastra-lease';
 *
 * missingLeaseMethods({ ...noopLeaseProvider, transferLease: undefined }); // => ['transferLease']
 * ```
 */
export function missingLeaseMethods(value: unknown): readonly LeaseMethod[] {
  return LEASE_METHODS.filter((method) => !hasMethod(value, method));
}

/**
 * Finds the provider as Mastra's runtime does: the result of a `getLeaseProvider()` decides where there is one,
 * else the backend itself. `none` names what is missing; what to do then is the caller's choice.
 *
 * @example
 * ```ts
 * import { resolveLeaseProvider } from 'mastra-lease';
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * const pubsub = { getLeaseProvider: () => new MemoryLeaseProvider() };
 * const found = resolveLeaseProvider(pubsub);
 * found.kind; // => 'provider'
 * found.via; // => 'getLeaseProvider'
 * ```
 */
export function resolveLeaseProvider(backend: unknown): LeaseResolution {
  const unwraps = hasMethod(backend, 'getLeaseProvider');
  const candidate: unknown = unwraps ? backend.getLeaseProvider() : backend;
  const via = unwraps ? 'getLeaseProvider' : 'self';
  return isLeaseProvider(candidate)
    ? { kind: 'provider', provider: candidate, via }
    : { kind: 'none', missing: missingLeaseMethods(candidate), via };
}

/**
 * Whether `value` can list and read leases beyond the contract.
 *
 * @example
 * ```ts
 * import { isLeaseInspector, noopLeaseProvider } from 'mastra-lease';
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * isLeaseInspector(new MemoryLeaseProvider()); // => true
 * isLeaseInspector(noopLeaseProvider); // => false
 * ```
 */
export function isLeaseInspector(value: unknown): value is LeaseInspector {
  return hasMethod(value, 'readLease') && hasMethod(value, 'listLeases');
}

/**
 * Whether `value` tells changes as they happen.
 *
 * @example
 * ```ts
 * import { isLeaseWatcher, noopLeaseProvider } from 'mastra-lease';
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * isLeaseWatcher(new MemoryLeaseProvider()); // => true
 * isLeaseWatcher(noopLeaseProvider); // => false
 * ```
 */
export function isLeaseWatcher(value: unknown): value is LeaseWatcher {
  return hasMethod(value, 'watchLeases');
}

/** Whether `value` can read what a thread's runs do. */
export function isThreadEvidence(value: unknown): value is ThreadEvidence {
  return hasMethod(value, 'readThread');
}

/**
 * Whether `value` reports what each verb found in the same round trip.
 *
 * @example
 * ```ts
 * import { isLeaseReporter } from 'mastra-lease';
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * const provider = new MemoryLeaseProvider();
 * isLeaseReporter(provider); // => true
 * await provider.acquireLease('deploy', 'job-1', 15_000);
 * (await provider.tryRenew('deploy', 'job-2', 15_000)).holder; // => 'job-1'
 * ```
 */
export function isLeaseReporter(value: unknown): value is LeaseReporter {
  return (
    hasMethod(value, 'tryAcquire') &&
    hasMethod(value, 'tryRelease') &&
    hasMethod(value, 'tryRenew') &&
    hasMethod(value, 'tryTransfer')
  );
}

/**
 * The traits a provider declares; empty when it declares none.
 *
 * @example
 * ```ts
 * import { leaseTraitsOf } from 'mastra-lease';
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * leaseTraitsOf(new MemoryLeaseProvider()); // => { atomicTransfer: true, scope: 'process' }
 * ```
 */
export function leaseTraitsOf(value: unknown): LeaseTraits {
  if (!isObject(value) || !('leaseTraits' in value) || !isObject(value.leaseTraits)) return {};
  const { atomicTransfer, scope } = value.leaseTraits as Record<string, unknown>;
  return {
    ...(typeof atomicTransfer === 'boolean' ? { atomicTransfer } : {}),
    ...(scope === 'process' || scope === 'host' || scope === 'network' ? { scope } : {}),
  };
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function hasMethod<Name extends string>(value: unknown, name: Name): value is Record<Name, () => unknown> {
  return isObject(value) && typeof Reflect.get(value, name) === 'function';
}
