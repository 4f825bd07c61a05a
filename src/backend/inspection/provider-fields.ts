import { types } from 'node:util';
import { isLeaseProvider } from '../../lease/detect.js';
import type { HiddenField, SelfDebugger } from './self-debugger.js';
import { isObject, read } from './values.js';

/** How many wrappers are taken off at most. */
const MAX_WRAPPERS = 8;

/** Something on the way to the fields, and whether nothing on the way could have changed a key. */
export interface Step {
  readonly value: unknown;
  readonly isTrusted: boolean;
}

/** A field's name without the marks of privacy, in lower case. */
export function bareName(name: string): string {
  return name.replace(/^[#_]+/, '').toLowerCase();
}

/** Private fields and plain ones. Accessors are left alone: their code could do anything. */
export async function fieldsOf(
  object: object,
  eyes: SelfDebugger | undefined,
): Promise<readonly HiddenField[]> {
  const hidden = (await eyes?.look(object))?.fields ?? [];
  const plain = Object.entries(Object.getOwnPropertyDescriptors(object)).flatMap(([name, descriptor]) =>
    'value' in descriptor ? [{ name, value: descriptor.value as unknown }] : [],
  );
  return [...hidden, ...plain];
}

/**
 * Takes off what wraps a provider: decorators that name what they wrap, proxies, and objects whose methods are another's,
 * bound. A decorator's `getLeaseProvider()` decides, as in Mastra's runtime.
 */
export async function unwrap(
  step: Step,
  eyes: SelfDebugger | undefined,
  depth = MAX_WRAPPERS,
): Promise<Step> {
  const { value } = step;
  if (!isObject(value) || depth === 0) return step;
  for (const name of isLeaseProvider(value) ? ['getLeaseProvider'] : ['getLeaseProvider', 'getInner']) {
    const method = read(value, name);
    if (typeof method !== 'function') continue;
    const inner: unknown = method.call(value);
    if (inner !== value) return unwrap({ ...step, value: inner }, eyes, depth - 1);
  }
  const owner = await findBehind(value, eyes);
  if (owner === undefined) return step;
  const isTrusted = step.isTrusted && (await passesThrough(value, owner, eyes));
  return unwrap({ value: owner, isTrusted }, eyes, depth - 1);
}

/** The target of a proxy, or whom an object's own lease methods are bound to. */
async function findBehind(value: object, eyes: SelfDebugger | undefined): Promise<object | undefined> {
  if (types.isProxy(value)) {
    const target = (await eyes?.look(value))?.slots.get('[[Target]]');
    return isObject(target) ? target : undefined;
  }
  const method = Object.getOwnPropertyDescriptor(value, 'getLeaseOwner')?.value as unknown;
  const owner =
    typeof method === 'function' ? (await eyes?.look(method))?.slots.get('[[BoundThis]]') : undefined;
  return isObject(owner) && owner !== value ? owner : undefined;
}

/** Whether reading an owner in front is reading it behind, with the same key: the very method, at most bound. */
async function passesThrough(
  front: object,
  behind: object,
  eyes: SelfDebugger | undefined,
): Promise<boolean> {
  for (const name of ['getLeaseOwner', 'acquireLease']) {
    const method = read(front, name);
    const original = read(behind, name);
    if (method === original) continue;
    const slots = typeof method === 'function' ? (await eyes?.look(method))?.slots : undefined;
    if (slots?.get('[[TargetFunction]]') !== original || slots?.get('[[BoundThis]]') !== behind) return false;
  }
  return true;
}
