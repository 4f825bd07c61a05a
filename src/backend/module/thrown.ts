import { relative } from 'node:path';
import { withoutUserInfo } from '../../lease/redact.js';
import { escapeText } from '../../lease/text.js';
import { firstOwnFrame } from './own-frame.js';

/** What a module threw: the first line, without passwords, and the first place in the application. */
export function describeThrown(error: unknown, root: string): string {
  const frame = firstOwnFrame(error);
  const at = frame === undefined ? '' : ` (at ${shorten(frame.file, root)}:${frame.line})`;
  if (!(error instanceof Error))
    return `it threw ${typeof error === 'string' ? `"${oneLine(error)}"` : typeof error}`;
  const name = error.name === 'Error' ? '' : `${error.name}: `;
  return `${escapeText(name)}${oneLine(error.message) || 'an error without a message'}${at}`;
}

/** The first line where it says something; of messages like JSON, the beginning. */
export function oneLine(text: string): string {
  const [first = ''] = text.trim().split('\n');
  const line = /\w/.test(first) ? first : text.replace(/\s+/g, ' ').trim().slice(0, 200);
  return escapeText(withoutUserInfo(line));
}

/** A file's path from `root` where it lies in there. */
export function shorten(file: string, root: string): string {
  const path = relative(root, file);
  return escapeText(path === '' || path.startsWith('..') ? file : path.replaceAll('\\', '/'));
}
