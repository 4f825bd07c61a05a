import type { BackendSource } from '../lease/backend.js';
import { escapeText } from '../lease/text.js';
import { printable } from './printable.js';

/** Where an answer came from, in one line: `redis://10.0.0.5:6379/0 primary · mastra:topic · --backend`. */
export function sourceText({ backend, role, keyPrefix, foundBy }: BackendSource): string {
  const where =
    role === undefined
      ? printable(backend)
      : `${printable(backend)} ${role === 'unverified' ? 'role unverified' : role}`;
  return [where, ...(keyPrefix === undefined ? [] : [escapeText(keyPrefix)]), foundBy].join(' · ');
}
