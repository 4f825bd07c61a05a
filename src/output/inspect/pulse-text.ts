import { processOf, quietMs } from '../../lease/facts.js';
import { parseKey } from '../../lease/key.js';
import { escapeText } from '../../lease/text.js';
import type { Inspected } from '../../operations/inspect/inspect.js';
import type { VerdictCounts } from '../../operations/inspect/order.js';
import { formatDuration, formatRemaining } from '../durations.js';
import { describeSubject } from './text.js';

/** How many of each verdict: `1 late, 3 silent`. */
export function countsText(counts: VerdictCounts): string {
  return counts.map(([verdict, count]) => `${count} ${verdict}`).join(', ');
}

/** An inspection as the cells of a table's row. */
export interface PulseCells {
  readonly verdict: string;
  readonly resource: string;
  readonly threadOrKey: string;
  readonly owner: string;
  readonly left: string;
  readonly quiet: string;
  readonly process: string;
}

const NONE = '·';

export function pulseCells(inspected: Inspected): PulseCells {
  const verdict = inspected.judgement.verdict.toUpperCase();
  if (inspected.key === undefined) {
    const thread = escapeText(inspected.thread);
    return {
      verdict,
      resource: NONE,
      threadOrKey: thread,
      owner: NONE,
      left: NONE,
      quiet: NONE,
      process: NONE,
    };
  }
  const { key, facts } = inspected;
  const { lease } = facts;
  const parts = parseKey(key);
  const quiet = quietMs(facts);
  const process = processOf(facts);
  const isThread = parts.kind === 'thread' && lease?.keyHex === undefined;
  return {
    verdict,
    resource: isThread ? escapeText(parts.resource) : '',
    threadOrKey: isThread ? escapeText(parts.thread) : describeSubject(inspected),
    owner: lease ? escapeText(lease.owner) : NONE,
    left: lease ? formatRemaining(lease.remainingMs) : NONE,
    quiet: quiet === undefined ? NONE : formatDuration(quiet),
    process: process === undefined ? NONE : escapeText(process),
  };
}

/**
 * One inspection in a pipe: verdict, kind, key, owner, milliseconds left, milliseconds since the last event, process,
 * resource, thread; `-` for what there is not.
 */
export function pulseRow(inspected: Inspected): string {
  const { verdict } = inspected.judgement;
  if (inspected.key === undefined) {
    const thread = escapeText(inspected.thread);
    return [verdict, 'thread', '-', '-', '-', '-', '-', '-', thread].join('\t');
  }
  const { key, facts } = inspected;
  const { lease } = facts;
  const parts = parseKey(key);
  const process = processOf(facts);
  return [
    verdict,
    parts.kind,
    lease?.keyHex === undefined ? escapeText(key) : `hex:${lease.keyHex}`,
    lease ? escapeText(lease.owner) : '-',
    lease?.remainingMs ?? '-',
    quietMs(facts) ?? '-',
    process === undefined ? '-' : escapeText(process),
    'resource' in parts ? escapeText(parts.resource) : '-',
    'thread' in parts ? escapeText(parts.thread) : '-',
  ].join('\t');
}
