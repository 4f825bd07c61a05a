import type { BackendSource } from '../lease/backend.js';
import { escapeText } from '../lease/text.js';
import { printable } from './printable.js';

/** A backend in a question: where a write goes, without how it was found. */
export function placeText({ foundBy: _foundBy, ...source }: BackendSource): string {
  return placeParts(source).join(' · ');
}

/** Where an answer came from, in one line: `redis://10.0.0.5:6379/0 primary · mastra:topic · --backend`. */
export function sourceText({ foundBy, ...source }: BackendSource): string {
  return [...placeParts(source), foundBy].join(' · ');
}

function placeParts({
  backend,
  server,
  provider,
  role,
  keyPrefix,
  context,
  isNoop,
}: Omit<BackendSource, 'foundBy'>): readonly string[] {
  const place = server === undefined ? printable(backend) : `${printable(backend)} · ${printable(server)}`;
  const where = role === undefined ? place : `${place} ${role === 'unverified' ? 'role unverified' : role}`;
  return [
    where,
    ...(provider === undefined ? [] : [printable(provider)]),
    ...(isNoop ? ['NO LEASING: every caller wins'] : []),
    ...(keyPrefix === undefined ? [] : [escapeText(keyPrefix)]),
    ...(context === undefined ? [] : [`context ${escapeText(context)}`]),
  ];
}
