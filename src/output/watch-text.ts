import { parseKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';
import type { Staleness } from '../lease/watch-failure.js';
import type { BackendUpEvent, LeaseEvent, WatchEvent } from '../operations/watch-event.js';
import { formatDuration, formatInstant, formatRemaining } from './durations.js';
import { describeKey } from './key-words.js';
import { printable } from './printable.js';
import type { Theme } from './theme.js';

/** The longest word that an event is told by. */
const WORD_WIDTH = 'backend-down'.length;

/** An event as lines for a person: the time of day in UTC, what happened, to what, and who; a snapshot is a line a lease. */
export function* eventText(event: WatchEvent, theme: Theme): Generator<string> {
  const line = (word: string, ...rest: readonly string[]) => {
    const colour = COLOUR[word]?.(theme) ?? ((text: string) => text);
    return [theme.dim(timeOfDay(event.atMs)), colour(word.padEnd(WORD_WIDTH)), ...rest].join('  ');
  };
  switch (event.type) {
    case 'snapshot': {
      const { leases } = event;
      yield line('snapshot', `${leases.length} ${leases.length === 1 ? 'lease' : 'leases'}`);
      for (const lease of leases) {
        const health = lease.health === 'late' ? ['late'] : [];
        yield line(
          'held',
          subject(lease),
          writtenOwner(lease),
          formatRemaining(lease.remainingMs),
          ...health,
        );
      }
      return;
    }
    case 'backend-up':
      yield line('backend-up', howText(event));
      return;
    case 'backend-down':
      yield line('backend-down', whyDown(event));
      return;
    default:
      yield line(event.type, ...leaseEventText(event));
  }
}

const COLOUR: Readonly<Record<string, (theme: Theme) => (text: string) => string>> = {
  acquired: (theme) => theme.good,
  renewed: (theme) => theme.dim,
  transferred: (theme) => theme.strong,
  expired: (theme) => theme.warn,
  late: (theme) => theme.warn,
  'no-expiry': (theme) => theme.warn,
  'backend-down': (theme) => theme.bad,
  'backend-up': (theme) => theme.good,
};

/** Why nothing is known any more, and what to do about it. */
export function whyDown({ reason, remedy }: Staleness): string {
  return printable(remedy === undefined ? reason : `${reason} — ${remedy}`);
}

/** What happened to a lease, from its key on. */
export function leaseEventText(event: LeaseEvent): readonly string[] {
  const { previousOwner, remainingMs, isInferred } = event;
  const owner = writtenOwner(event);
  return [
    subject(event),
    previousOwner === undefined ? owner : `${escapeText(previousOwner)} → ${owner}`,
    ...(remainingMs === undefined ? [] : [formatRemaining(remainingMs)]),
    ...(isInferred ? ['(inferred)'] : []),
  ];
}

/** How the view is kept live, and what that costs the server. */
export function howText({ how, intervalMs, commandsPerSecond, why }: BackendUpEvent): string {
  const way =
    how === 'pushed' || intervalMs === undefined ? how : `${how} every ${formatDuration(intervalMs)}`;
  const cost = `${Number(commandsPerSecond.toPrecision(2))} commands/s`;
  return why === undefined ? `${way}, ${cost}` : `${way}, ${cost}: ${printable(why)}`;
}

/** The time of day of an instant, in UTC. */
function timeOfDay(atMs: number): string {
  return formatInstant(atMs).slice(11, 23);
}

/** What a lease is about: a thread by its two ids, anything else in words, bytes that are no text in hex. */
function subject({ key, keyHex }: { readonly key: string; readonly keyHex?: string }): string {
  if (keyHex !== undefined) return `hex:${keyHex}`;
  const parts = parseKey(key);
  return parts.kind === 'thread'
    ? `${escapeText(parts.resource) || "''"} / ${escapeText(parts.thread) || "''"}`
    : describeKey(key);
}

function writtenOwner({ owner, ownerHex }: { readonly owner: string; readonly ownerHex?: string }): string {
  return ownerHex === undefined ? escapeText(owner) : `hex:${ownerHex}`;
}
