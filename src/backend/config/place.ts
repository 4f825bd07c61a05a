import { basename } from 'node:path';
import { escapeText } from '../../lease/text.js';

/** The field of package.json that may be a config. */
export const PACKAGE_FIELD = 'mastra-lease';

/** A config's file and a field of it, as messages begin: `/app/mastra-lease.config.ts: contexts.prod.tls`. */
export function place(file: string, path: readonly PropertyKey[]): string {
  const names = [...(basename(file) === 'package.json' ? [PACKAGE_FIELD] : []), ...path].map(String);
  const written = names.reduce((before, name) => {
    if (!/^[\w$-]+$/.test(name)) return `${before}["${escapeText(name)}"]`;
    return before === '' ? name : `${before}.${name}`;
  }, '');
  return written === '' ? escapeText(file) : `${escapeText(file)}: ${written}`;
}
