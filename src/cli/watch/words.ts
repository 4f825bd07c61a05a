import { threadKey } from '../../lease/key.js';
import { escapeText } from '../../lease/text.js';
import type { WatchFilter } from '../../operations/watch-filter.js';
import { THREAD_FORM, type WatchTarget } from '../../operations/watch-target.js';
import type { CliIo } from '../io.js';
import { readKeyRequests } from '../key-requests.js';
import { type KeyOptions, parseKeyArgument } from '../options.js';

/** Reads what to watch: nothing named is everything; one word may be a pattern; several are keys. */
export async function readWatchTarget(
  words: readonly string[],
  options: KeyOptions,
  io: Pick<CliIo, 'stdin'>,
): Promise<WatchTarget> {
  const [word] = words;
  const isNamed = options.thread !== undefined || options.resource !== undefined;
  if (word === undefined && !isNamed) return { by: 'all' };
  if (word === undefined || words.length > 1 || isNamed || options.literal || word === '-') {
    return { by: 'keys', requests: await readKeyRequests(words, options, io) };
  }
  return /[*?]/.test(word) ? { by: 'pattern', pattern: word } : { by: 'word', key: parseKeyArgument(word) };
}

/** What a target means where there is no backend to ask: a recording holds what it holds. */
export function filterOfTarget(target: WatchTarget): WatchFilter {
  switch (target.by) {
    case 'all':
      return {};
    case 'pattern':
      return { pattern: target.pattern };
    case 'word':
      return target.key.startsWith(THREAD_FORM)
        ? { thread: target.key.slice(THREAD_FORM.length) }
        : { pattern: escapeText(target.key) };
    case 'keys': {
      const [only] = target.requests;
      if (only?.by === 'thread' && only.resource === undefined) return { thread: only.thread };
      const keys = target.requests.map((request) =>
        request.by === 'key'
          ? request.key
          : threadKey({ resource: request.resource ?? '', thread: request.thread }),
      );
      return { keys };
    }
  }
}
