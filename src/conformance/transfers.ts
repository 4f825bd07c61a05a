import type { Setting } from './setting.js';

/** Whether transfers can be held to the rule of one change at a time: what is not atomic is allowed, where it is said. */
export function hasAtomicTransfers({ traits, atomicTransfer }: Setting): boolean {
  return traits.atomicTransfer !== false && atomicTransfer !== 'not atomic';
}
