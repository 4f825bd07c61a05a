import { escapeText } from '../lease/text.js';
import { idOf, type LeaseRow } from './lease-row.js';

/** A key as it can be typed; where it is no text, its bytes in hex, marked. */
export function writtenKey({ key, keyHex }: Pick<LeaseRow, 'key' | 'keyHex'>): string {
  return keyHex === undefined ? escapeText(key) : `hex:${keyHex}`;
}

/** An owner as it can be typed; where it is no text, its bytes in hex, marked. */
export function writtenOwner({ owner, ownerHex }: Pick<LeaseRow, 'owner' | 'ownerHex'>): string {
  return ownerHex === undefined ? escapeText(owner) : `hex:${ownerHex}`;
}

/** What tells a lease from others of its kind, with an agent or an event where its key names one. */
export function writtenId({ key, keyHex, parts }: Pick<LeaseRow, 'key' | 'keyHex' | 'parts'>): string {
  if (keyHex !== undefined) return `hex:${keyHex}`;
  const id = escapeText(idOf({ key, parts }));
  if ('agent' in parts) return `${id} · ${escapeText(parts.agent)}`;
  return 'event' in parts ? `${id} · ${escapeText(parts.event)}` : id;
}
