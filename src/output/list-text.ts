import { compareWorstFirst } from '../lease/health.js';
import { escapeText } from '../lease/text.js';
import type { ListEnd, ListedLease } from '../operations/list-leases.js';
import { formatRemaining } from './durations.js';
import { describeParts } from './key-words.js';

/** What a listing can be sorted by. `worst`: no expiry, then late, then what is left. */
export const SORT_ORDERS = ['worst', 'left', 'kind', 'resource', 'thread', 'owner'] as const;

/** One order of {@link SORT_ORDERS}. */
export type SortOrder = (typeof SORT_ORDERS)[number];

/** Sorts leases on their values, never on what is printed. Equal ones are ordered by key, so that two listings compare. */
export function sortLeases(leases: readonly ListedLease[], order: SortOrder): readonly ListedLease[] {
  const compare = COMPARE[order];
  return leases.toSorted((a, b) => compare(a, b) || compareText(a.key, b.key));
}

type Compare = (a: ListedLease, b: ListedLease) => number;

const COMPARE: Record<SortOrder, Compare> = {
  worst: compareWorstFirst,
  left: (a, b) => (a.remainingMs ?? Number.MAX_SAFE_INTEGER) - (b.remainingMs ?? Number.MAX_SAFE_INTEGER),
  kind: (a, b) => compareText(a.parts.kind, b.parts.kind),
  resource: (a, b) => compareText(resourceOf(a), resourceOf(b)),
  thread: (a, b) => compareText(threadOrKey(a), threadOrKey(b)),
  owner: (a, b) => compareText(a.owner, b.owner),
};

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One lease in a pipe: kind, key, owner, milliseconds left, health, resource, thread; `-` for what there is not. */
export function listedLeaseRow(lease: ListedLease): string {
  const { parts, owner, remainingMs, health } = lease;
  const isThread = parts.kind === 'thread' || parts.kind === 'claim';
  return [
    parts.kind,
    writtenKey(lease),
    escapeText(owner),
    remainingMs ?? '-',
    health,
    'resource' in parts ? escapeText(parts.resource) : '-',
    isThread ? escapeText(parts.thread) : '-',
  ].join('\t');
}

/** A key in its written form, or its bytes in hex, marked, where they are not text. */
function writtenKey({ key, keyHex }: ListedLease): string {
  return keyHex === undefined ? escapeText(key) : `hex:${keyHex}`;
}

/** A lease as the cells of a table's row. */
export interface TableRow {
  readonly kind: string;
  readonly resource: string;
  readonly threadOrKey: string;
  readonly owner: string;
  readonly left: string;
  readonly health: string;
}

export function tableRow(lease: ListedLease): TableRow {
  return {
    kind: lease.parts.kind,
    resource: escapeText(resourceOf(lease)),
    threadOrKey: lease.keyHex === undefined ? threadOrKey(lease) : `hex:${lease.keyHex}`,
    owner: escapeText(lease.owner),
    left: formatRemaining(lease.remainingMs),
    health: lease.health,
  };
}

function resourceOf({ parts }: ListedLease): string {
  return 'resource' in parts ? parts.resource : '';
}

/** The thread's id, or what else tells the key from others of its kind, in written form. */
function threadOrKey({ parts }: ListedLease): string {
  return describeParts(parts)
    .filter(([name]) => name !== 'resource')
    .map(([, value]) => value)
    .join(' · ');
}

/** What a listing amounts to, in one line. */
export function listSummary({ complete, total, matched, source }: ListEnd, shown: number): string {
  const counted = `${matched} ${matched === 1 ? 'lease' : 'leases'}`;
  const ofAll = matched === total ? counted : `${counted} of ${total}`;
  const some = shown < matched ? `${ofAll}, ${shown} shown` : ofAll;
  if (!complete) return `${some}: INCOMPLETE`;
  return total === 0 && source.keyPrefix !== undefined
    ? `${some}: nothing is leased under ${escapeText(source.keyPrefix)}; is that the application's prefix (--key-prefix)?`
    : some;
}
