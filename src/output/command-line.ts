import { parseKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';
import { printable } from './printable.js';

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

/** The options by which a key is named. */
const KEY_OPTIONS = ['thread', 'resource', 'literal'];
/** The options that are true unless they were refused. */
const REFUSABLE_OPTIONS = ['color', 'introspect'];

/**
 * The command that was typed, for `key` alone: the same verb and options, whatever keys it named. `options` are by
 * their names in camel case, as parsed. Passwords are left out.
 */
export function commandFor(verb: string, options: object, key: string): string {
  const typed: readonly (readonly [string, unknown])[] = Object.entries(options);
  const words = typed.flatMap(([name, value]) =>
    KEY_OPTIONS.includes(name) ? [] : typedOption(name, value),
  );
  return ['mastra-lease', verb, ...words, keyArguments(key)].join(' ');
}

/** The options that say which backend: a command that follows another is about the same one. */
const BACKEND_OPTIONS = [
  'backend',
  'context',
  'config',
  'envFile',
  'introspect',
  'keyPrefix',
  'username',
  'passwordFile',
  'tlsServername',
  'tlsCa',
  'tlsInsecure',
];

/** A command on the same backend as the one that was typed, with those of its other options that `also` names. */
export function nextCommand(verb: string, typed: object, key: string, also: readonly string[] = []): string {
  return commandFor(verb, keepOptions(typed, also), key);
}

/** The command that looks for a thread under every resource, on the same backend as the one that was typed. */
export function searchCommand(typed: object, thread: string, verb = 'owner'): string {
  const words = Object.entries(keepOptions(typed, [])).flatMap(([name, value]) => typedOption(name, value));
  return ['mastra-lease', verb, ...words, option('--thread', thread)].join(' ');
}

function keepOptions(typed: object, also: readonly string[]): object {
  const kept = Object.entries(typed).filter(
    ([name]) => BACKEND_OPTIONS.includes(name) || also.includes(name),
  );
  return Object.fromEntries(kept);
}

function typedOption(name: string, value: unknown): readonly string[] {
  const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (typeof value === 'string') {
    const word = quote(printable(withoutSecrets(value)));
    return [word.startsWith('-') ? `--${flag}=${word}` : `--${flag} ${word}`];
  }
  if (REFUSABLE_OPTIONS.includes(name)) return value === false ? [`--no-${flag}`] : [];
  return value === true ? [`--${flag}`] : [];
}

/** A word that was typed, without the passwords of a URL. */
export function withoutSecrets(word: string): string {
  return word.replace(/:\/\/.*@/s, '://…@').replace(/([?&]\w*password=)[^&#]*/gi, '$1…');
}
