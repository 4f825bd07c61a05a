import { parseKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';

/**
 * A key as arguments that survive a shell, `xargs` and YAML: a thread's by its two ids, any other in its written form.
 */
export function keyArguments(key: string): string {
  const parts = parseKey(key);
  if (parts.kind === 'thread')
    return `${option('--resource', parts.resource)} ${option('--thread', parts.thread)}`;
  const written = escapeText(key);
  return written.startsWith('-') ? `-- ${quote(written)}` : quote(written);
}

/** An option with its value, for a POSIX shell; a value that begins with a dash needs the `=` form. */
export function option(name: string, value: string): string {
  const written = escapeText(value);
  return written.startsWith('-') ? `${name}=${quote(written)}` : `${name} ${quote(written)}`;
}

/** One word for a POSIX shell. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * The command that was typed, with its key replaced: `thread:…` or `--thread` alone give way to the ids of `key`. The
 * user info of a URL is left out.
 */
export function commandFor(argv: readonly string[], key: string): string {
  const kept: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const argument = argv[i] ?? '';
    if (argument === '--thread') i += 1;
    else if (!argument.startsWith('--thread=') && !argument.startsWith('thread:')) kept.push(argument);
  }
  const words = kept.map((word) => quote(word.replace(/\/\/[^/]*@/, '//…@')));
  return ['mastra-lease', ...words, keyArguments(key)].join(' ');
}
