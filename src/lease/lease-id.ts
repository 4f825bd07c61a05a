import type { SeenLease } from './inspector.js';

/** Begins what no stored text can begin with, so that a key in hex is never taken for a key. */
const HEX_MARK = '\ud800';

/** What tells the lease of one key from that of any other, also where the key is no text: the key itself, where it is. */
export function leaseId({ key, keyHex }: Pick<SeenLease, 'key' | 'keyHex'>): string {
  return keyHex === undefined ? key : HEX_MARK + keyHex;
}

/** The bytes of a key that is no text, in hex; `undefined` where the id is the key. */
export function hexOfId(id: string): string | undefined {
  return id.startsWith(HEX_MARK) ? id.slice(HEX_MARK.length) : undefined;
}
