import type { KeyOutcome } from '../operations/outcome.js';
import type { LeaseEvent } from '../operations/watch-event.js';
import { describeKey } from '../output/key-words.js';
import { terminalText } from '../output/outcome-text.js';
import { makeTheme, type Theme } from '../output/theme.js';
import { howText, leaseEventText, whyDown } from '../output/watch-text.js';
import type { LogEntry } from './event-log.js';

/** A log entry as it is read: a word, what it is about, and what of it. */
export interface EntryText {
  readonly word: string;
  readonly tone?: keyof Theme;
  readonly subject: string;
  readonly detail: string;
}

const TONES: Partial<Record<LogEntry['type'], keyof Theme>> = {
  acquired: 'good',
  transferred: 'strong',
  expired: 'warn',
  late: 'warn',
  'no-expiry': 'bad',
  'backend-up': 'good',
  'backend-down': 'bad',
  outcome: 'strong',
  failure: 'bad',
};

const WITHOUT_COLOUR = makeTheme({ isTerminal: false, env: {}, isRefused: true });

/** Words for an entry of the log. */
export function entryText(entry: LogEntry): EntryText {
  const tone = entry.type === 'outcome' && isRefusal(entry.outcome) ? 'warn' : TONES[entry.type];
  return { ...wordsFor(entry), ...(tone && { tone }) };
}

function wordsFor(entry: LogEntry): Omit<EntryText, 'tone'> {
  switch (entry.type) {
    case 'backend-up':
      return { word: 'connected', subject: howText(entry), detail: '' };
    case 'backend-down':
      return { word: 'LOST', subject: whyDown(entry), detail: '' };
    case 'outcome':
      return { word: 'you', subject: outcomeWords(entry.outcome), detail: '' };
    case 'failure': {
      const what = `the ${entry.verb} of ${describeKey(entry.key)}`;
      return { word: 'you', subject: `${what} failed: ${entry.message}`, detail: '' };
    }
    case 'note':
      return { word: entry.word, subject: entry.text, detail: '' };
    default:
      return { word: entry.type, ...leaseWords(entry) };
  }
}

function leaseWords(event: LeaseEvent): Omit<EntryText, 'word' | 'tone'> {
  const [subject = '', ...detail] = leaseEventText(event);
  return { subject, detail: detail.join('   ') };
}

/** What came of a write, as the command would say it; that it came to nothing is said first. */
function outcomeWords(outcome: KeyOutcome): string {
  const answer = terminalText(outcome, WITHOUT_COLOUR).answer.replace(/ {2,}/, ': ');
  return isRefusal(outcome) ? `the ${outcome.verb} changed nothing: ${answer}` : answer;
}

function isRefusal({ status }: KeyOutcome): boolean {
  return status === 'held-by-other' || status === 'active' || status === 'no-lease';
}
