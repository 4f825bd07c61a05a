import type { LeaseScope } from '../lease/provider.js';
import { escapeText, unescapeText } from '../lease/text.js';
import { idOf, type LeaseRow } from './lease-row.js';

/** A write that the user has asked for, on the lease as it was shown. */
export type PlannedWrite =
  | { readonly verb: 'transfer'; readonly lease: LeaseRow; readonly to: string }
  | { readonly verb: 'release'; readonly lease: LeaseRow };

/** A line that the user types into. */
export type Prompt = { readonly text: string; readonly problem?: string } & (
  | { readonly kind: 'filter'; readonly before: string }
  | { readonly kind: 'export' }
  | { readonly kind: 'new-owner'; readonly lease: LeaseRow }
  | { readonly kind: 'confirm'; readonly write: PlannedWrite }
);

/** A prompt on the way to a write. */
export type WritePrompt = Extract<Prompt, { readonly kind: 'new-owner' | 'confirm' }>;

/** Whether a prompt is on the way to a write. */
export function isAboutWrite(prompt: Prompt | undefined): prompt is WritePrompt {
  return prompt?.kind === 'new-owner' || prompt?.kind === 'confirm';
}

/** The lease that a write would change. */
export function leaseOf(prompt: WritePrompt): LeaseRow {
  return prompt.kind === 'confirm' ? prompt.write.lease : prompt.lease;
}

/**
 * What has to be typed to confirm a write: the id of the thread, in the written form; `yes` where the leases are this
 * host's alone, and where the key has no id to type.
 */
export function confirmationOf({ lease }: PlannedWrite, scope: LeaseScope | undefined): string {
  const id = escapeText(idOf(lease));
  return scope === 'host' || scope === 'process' || id === '' ? 'yes' : id;
}

/** What a typed owner means, or what is wrong with it. */
export function readOwner(
  written: string,
  { owner }: LeaseRow,
): { readonly owner: string } | { readonly problem: string } {
  const read = unescapeText(written);
  if ('problem' in read) return read;
  if (read.text === '') return { problem: 'expected the new owner, got nothing' };
  if (read.text === owner) return { problem: `it is ${escapeText(owner)}'s already` };
  return { owner: read.text };
}

/** Why a lease cannot be named in a write. */
export function unnameable({ keyHex, ownerHex }: LeaseRow): string | undefined {
  if (keyHex !== undefined) return 'its key is not UTF-8: it cannot be named in a write';
  return ownerHex === undefined ? undefined : 'its owner is not UTF-8: it cannot be named in a write';
}

/** A prompt's text after a key. */
export function typed(prompt: Prompt, edit: TextEdit): Prompt {
  const { problem: _, ...rest } = prompt;
  return { ...rest, text: EDITS[edit.how](prompt.text, edit.text) };
}

/** A change of what is typed. */
export interface TextEdit {
  readonly how: 'insert' | 'erase' | 'erase-word' | 'erase-all';
  readonly text: string;
}

const EDITS: Record<TextEdit['how'], (text: string, more: string) => string> = {
  // Control characters come from a paste; there is no line to break here.
  insert: (text, more) => `${text}${more.replace(/\p{Cc}/gu, '')}`,
  erase: (text) => graphemes(text).slice(0, -1).join(''),
  'erase-word': (text) => text.replace(/\S*\s*$/, ''),
  'erase-all': () => '',
};

function graphemes(text: string): readonly string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}
