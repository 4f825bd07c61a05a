import { missingLeaseMethods } from '../../lease/detect.js';
import { LEASE_METHODS } from '../../lease/provider.js';

/**
 * What an export is to us.
 *
 * - `backend`: an object to be asked for leases: a provider (be it without some methods), a pubsub, or what has a
 *   `getLeaseProvider()`.
 * - `mastra`: a `Mastra`, whose `pubsub` is the backend.
 * - `class`, `function`, `promise`: what may make one of these.
 */
export type ExportKind = 'backend' | 'mastra' | 'class' | 'function' | 'promise';

/** What an export should be, for an error. */
export const ACCEPTED =
  'a lease provider, a pubsub, an object with getLeaseProvider(), a Mastra, or a class or function that makes one';

/** By structure, never by `instanceof`: it may come from any copy of a package. Reads, and calls nothing. */
export function kindOf(value: unknown): ExportKind | undefined {
  if (isBackend(value)) return 'backend';
  if (isMastra(value)) return 'mastra';
  if (typeof value === 'function') return isClass(value) ? 'class' : 'function';
  return hasMethod(value, 'then') ? 'promise' : undefined;
}

/** Whether a class makes backends, as far as its methods show. */
export function makesBackends(value: unknown): boolean {
  return typeof value === 'function' && isBackend(value.prototype);
}

/** A word or two for an error. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return isClass(value) ? 'a class' : 'a function';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object of another kind' : `a ${typeof value}`;
}

function isBackend(value: unknown): boolean {
  return (
    missingLeaseMethods(value).length < LEASE_METHODS.length ||
    hasMethod(value, 'getLeaseProvider') ||
    (hasMethod(value, 'publish') && hasMethod(value, 'subscribe'))
  );
}

function isMastra(value: unknown): boolean {
  return hasMethod(value, 'getAgent') && hasMethod(value, 'getWorkflow');
}

function isClass(value: object): boolean {
  return (
    /^class\b/.test(Function.prototype.toString.call(value)) ||
    // Compiled to what there was before classes.
    Object.getOwnPropertyNames(('prototype' in value && value.prototype) || {}).length > 1
  );
}

function hasMethod(value: unknown, name: string): boolean {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof Reflect.get(value, name) === 'function'
  );
}
