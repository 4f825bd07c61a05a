import { type KeyParts, parseKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';

/** A key in words: `thread t-1 · resource user-42`, or the written key where no form is known. */
export function describeKey(key: string): string {
  const parts = parseKey(key);
  if (parts.kind === 'other') return escapeText(key);
  return describeParts(parts)
    .map(([name, value]) => `${name} ${value === '' ? "''" : value}`)
    .join(' · ');
}

/** A key's parts in the order in which they are read out, each with its name, in their written form. */
export function describeParts(parts: KeyParts): readonly (readonly [name: string, value: string])[] {
  switch (parts.kind) {
    case 'thread':
      return written([
        ['thread', parts.thread],
        ['resource', parts.resource],
      ]);
    case 'claim':
      return written([
        ['claim of thread', parts.thread],
        ['resource', parts.resource],
      ]);
    case 'recovery':
    case 'execution':
      return written([
        [`${parts.kind} of run`, parts.run],
        ['agent', parts.agent],
      ]);
    case 'step':
      return written([
        ['step fence of run', parts.run],
        ['event', parts.event],
      ]);
    case 'notification':
      return written([['notification dispatch of resource', parts.resource]]);
    case 'schedule':
      return written([['schedule', parts.schedule]]);
    case 'other':
      return written([['key', parts.text]]);
  }
}

function written(parts: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  return parts.map(([name, value]) => [name, escapeText(value)]);
}
