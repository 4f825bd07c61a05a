import { escapeText } from '../../lease/text.js';

/** The longest key or owner that a message shows whole. */
const MAX_SHOWN = 120;

/** A key or an owner as a message may show it. */
export function shown(text: string): string {
  return escapeText(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text);
}
