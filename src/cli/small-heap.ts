import { setFlagsFromString } from 'node:v8';

/**
 * For a command that lets many thousand leases pass: V8 would let the space for what has just been made grow to 48 MB, and
 * that is not what makes it faster. To be called before the first of them.
 */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For a command that keeps many leases: V8 would let the heap grow to some four times of what is in use before it looks
 * through it again.
 */
export function keepOldHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
