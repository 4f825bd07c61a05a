import { parseKey } from '../lease/key.js';
import { escapeText } from '../lease/text.js';
import type { KeyOutcome, OutcomeStatus } from '../operations/outcome.js';
import type { Work } from '../operations/quiet-guard.js';
import { nextCommand, option, searchCommand } from './command-line.js';
import { formatDuration, formatInstant } from './durations.js';
import { describeKey } from './key-words.js';
import { isCaution, noteText } from './note-text.js';
import { printable } from './printable.js';
import type { Theme } from './theme.js';

/** An outcome as text: the answer for stdout, the rest for stderr. */
export interface OutcomeText {
  /** Empty when the answer is silence (piped `owner` of a free key, a refused `acquire`). */
  readonly answer: string;
  readonly talk: readonly string[];
}

/** What an outcome looks like on a terminal: a status word, a sentence, then notes and the next step. */
export function terminalText(outcome: KeyOutcome, theme: Theme, typed: object = {}): OutcomeText {
  const answer = `${STATUS_COLOUR[outcome.status](theme)(statusWord(outcome).padEnd(10))}${sentence(outcome)}`;
  return { answer, talk: talk(outcome, typed) };
}

/** What an outcome looks like in a pipe: for `owner` and `acquire` the owner alone, else the status. */
export function pipedText(outcome: KeyOutcome, typed: object = {}): OutcomeText {
  return {
    answer: pipedAnswer(outcome),
    talk: [...(isAnsweredByTalk(outcome) ? [plainSentence(outcome)] : []), ...talk(outcome, typed)],
  };
}

/** One of several keys in a pipe: key, status, owner and milliseconds left, tab-separated; `-` for what there is not. */
export function pipedRow({ key, thread, status, lease, dryRun }: KeyOutcome): string {
  const written = key === undefined ? `thread:${escapeText(thread ?? '')}` : escapeText(key);
  return [
    written,
    dryRun ? `dry-run ${status}` : status,
    lease ? escapeText(lease.owner) : '-',
    lease?.remainingMs ?? '-',
  ].join('\t');
}

/** The row of a key that could not be answered: every key that was asked about has one. */
export function failedRow(key: string, code: string): string {
  return [escapeText(key), code, '-', '-'].join('\t');
}

const STATUS_WORD: Record<OutcomeStatus, string> = {
  held: 'held',
  free: 'free',
  acquired: 'acquired',
  refreshed: 'refreshed',
  released: 'released',
  renewed: 'renewed',
  transferred: 'moved',
  'held-by-other': 'held',
  active: 'active',
  'no-lease': 'no lease',
  skipped: 'skipped',
};

/** The status in a word; what a dry run would have changed is not called done. */
function statusWord({ status, dryRun }: KeyOutcome): string {
  const isRefusal = status === 'held-by-other' || status === 'active' || status === 'no-lease';
  return dryRun && !isRefusal ? 'dry run' : STATUS_WORD[status];
}

const STATUS_COLOUR: Record<OutcomeStatus, (theme: Theme) => (text: string) => string> = {
  held: (theme) => theme.strong,
  free: (theme) => theme.dim,
  acquired: (theme) => theme.good,
  refreshed: (theme) => theme.good,
  released: (theme) => theme.good,
  renewed: (theme) => theme.good,
  transferred: (theme) => theme.good,
  'held-by-other': (theme) => theme.warn,
  active: (theme) => theme.warn,
  'no-lease': (theme) => theme.warn,
  skipped: (theme) => theme.dim,
};

function sentence(outcome: KeyOutcome): string {
  const { status, lease, previousOwner, dryRun, source } = outcome;
  const what = subject(outcome);
  const previous = ownerWord(previousOwner ?? '');
  const owner = lease ? ownerWord(lease.owner) : '';
  const left = forHowLong(outcome);
  switch (status) {
    case 'held':
    case 'held-by-other':
      return `${what} is ${owner}'s ${left}`;
    case 'active':
      return `${what}${lease ? ` is ${owner}'s, and` : ''} is not known to be quiet${lastSign(outcome)}`;
    case 'acquired':
    case 'refreshed':
    case 'renewed':
      return `${what} ${dryRun ? 'would be' : 'is'} ${owner}'s ${left}`;
    case 'transferred':
      return `${what} ${dryRun ? 'would go' : 'went'} from ${previous} to ${owner}, ${left}`;
    case 'released':
      return `${what} ${dryRun ? 'would no longer be' : 'is no longer'} ${previous}'s`;
    case 'free':
    case 'no-lease':
      return source.keyPrefix === undefined
        ? `nobody holds ${what}`
        : `nobody holds ${what} under ${escapeText(source.keyPrefix)}`;
    case 'skipped':
      return what;
  }
}

function lastSign({ work }: KeyOutcome): string {
  if (!work) return '';
  const age = formatDuration(work.ageMs);
  switch (work.kind) {
    case 'event':
      return `: its run's last event is ${age} old (${escapeText(work.type)})`;
    case 'unreadable':
      return `: its newest entry is ${age} old, and no event that can be read`;
    case 'too-short':
      return `: what is kept of its events reaches back only ${age}`;
  }
}

function isOver(work: Work | undefined): boolean {
  return work?.kind === 'event' && work.isEnded;
}

function subject({ key, thread }: KeyOutcome): string {
  return key === undefined ? `a thread ${escapeText(thread ?? '')}` : describeKey(key);
}

/** An owner in a sentence; an empty one must be seen. */
function ownerWord(owner: string): string {
  return owner === '' ? "''" : escapeText(owner);
}

function forHowLong({ lease, status, atMs }: KeyOutcome): string {
  const remainingMs = lease?.remainingMs;
  if (remainingMs === null) return 'for ever: it has no expiry';
  if (remainingMs === undefined) return 'for a time that cannot be read';
  const duration = formatDuration(remainingMs);
  return status === 'held' || status === 'held-by-other'
    ? `for another ${duration}`
    : `for ${duration} (until ${formatInstant(atMs + remainingMs)})`;
}

function whenFree(remainingMs: number | null | undefined): string {
  if (remainingMs === null) return 'it never ends by itself';
  if (remainingMs === undefined) return 'when it ends cannot be read';
  return `free in ${formatDuration(remainingMs)} unless it is renewed`;
}

function pipedAnswer({ verb, status, lease, dryRun }: KeyOutcome): string {
  if (dryRun) return `dry-run ${status}`;
  if (verb === 'owner') return status === 'held' && lease ? escapeText(lease.owner) : '';
  if (verb === 'acquire') return status !== 'held-by-other' && lease ? escapeText(lease.owner) : '';
  return status;
}

/** Where stdout carries the bare answer, the sentence is told on stderr, so that nothing is silent. */
function isAnsweredByTalk({ status }: KeyOutcome): boolean {
  return status !== 'held';
}

function plainSentence(outcome: KeyOutcome): string {
  return `${statusWord(outcome)}: ${sentence(outcome)}`;
}

function talk(outcome: KeyOutcome, typed: object): readonly string[] {
  return [
    ...(outcome.readBack ? ['the answer to the write was lost; this was seen on reading back'] : []),
    ...(outcome.dryRun ? ['dry run: nothing was sent'] : []),
    ...outcome.notes.map((note) =>
      isCaution(note) ? `caution: ${noteText(note, outcome)}` : noteText(note, outcome),
    ),
    ...laterText(outcome),
    ...nextStep(outcome, typed),
  ];
}

/** What a look some time after the write has shown. */
function laterText({ key, previousOwner, later }: KeyOutcome): readonly string[] {
  if (!later || key === undefined) return [];
  const what = `${formatDuration(later.afterMs)} later`;
  if ('error' in later) return [`caution: ${what} it could not be read: ${printable(later.error.message)}`];
  const holder = later.lease ? `it is ${ownerWord(later.lease.owner)}'s` : 'nobody holds it';
  if (!later.isBack) return [`${what} ${holder}`];
  return [
    `caution: ${what} ${ownerWord(previousOwner ?? '')} has it again and is still renewing: its run lives`,
  ];
}

/** The next thing to try where the answer may not be what was hoped for. Commands keep the backend that was typed. */
function nextStep({ verb, status, key, lease, work }: KeyOutcome, typed: object): readonly string[] {
  if (key === undefined) return [];
  if (status === 'active')
    return [
      `${isOver(work) ? 'wait a little' : 'abort the run first'}; to break its lease all the same: --even-if-active`,
    ];
  if (status === 'held-by-other' && lease) {
    if (verb === 'acquire') {
      return [`${whenFree(lease.remainingMs)}; to look again: ${nextCommand('owner', typed, key)}`];
    }
    const from = option(verb === 'transfer' ? '--from' : '--owner', lease.owner);
    return [`${ownerWord(lease.owner)} holds it: name it by ${from}, or --force to be shown it and asked`];
  }
  if (status === 'free') return whereElse(key, typed);
  if (status !== 'no-lease' || verb === 'release') return [];
  return verb === 'transfer'
    ? ['a lease that was lost is acquired afresh: add --or-acquire']
    : [`a lease that was lost is acquired afresh: ${nextCommand('acquire', typed, key, ['owner', 'ttl'])}`];
}

/** Where a thread that was meant may be found: under another resource, or by an id that was typed as a key. */
function whereElse(key: string, typed: object): readonly string[] {
  const parts = parseKey(key);
  if (parts.kind === 'thread') {
    return [`to look for that thread under every resource: ${searchCommand(typed, parts.thread)}`];
  }
  return parts.kind === 'other' && !key.includes(':')
    ? [`if that is a thread's id: ${searchCommand(typed, key)}`]
    : [];
}
