import { isLeaseInspector } from '../../lease/detect.js';
import type { LeaseInspector } from '../../lease/inspector.js';
import { fieldsOf, unwrap } from './provider-fields.js';
import { SelfDebugger } from './self-debugger.js';
import { asText, isObject, read } from './values.js';

/** An inspector that a provider keeps in one of its fields. */
export interface HeldInspector {
  readonly inspector: LeaseInspector;
  /** What it calls itself and the prefix that it lists, where it says so as `RedisLeaseProvider` does. */
  readonly name?: string;
  readonly keyPrefix?: string;
}

/**
 * Finds, by Node's own debugger, the inspector that a provider hands its calls on to: a pubsub with a
 * `RedisLeaseProvider` of this library inside, say. It is the application's: not ours to close.
 */
export async function findHeldInspector(provider: unknown): Promise<HeldInspector | undefined> {
  const eyes = await SelfDebugger.open();
  try {
    const { value } = await unwrap({ value: provider, isTrusted: true }, eyes);
    if (!isObject(value)) return undefined;
    const inspector = (await fieldsOf(value, eyes)).map((field) => field.value).find(isLeaseInspector);
    if (!inspector) return undefined;
    const [name, keyPrefix] = [asText(read(inspector, 'name')), asText(read(inspector, 'keyPrefix'))];
    return { inspector, ...(name !== undefined && { name }), ...(keyPrefix !== undefined && { keyPrefix }) };
  } catch {
    // An extra, as all of introspection.
    return undefined;
  } finally {
    eyes?.close();
  }
}
