import { escapeText } from '../lease/text.js';
import { formatInstant } from '../output/durations.js';
import { sourceText } from '../output/source-text.js';
import type { LogEntry } from './event-log.js';
import { type LeaseRow, leftAt, resourceOf } from './lease-row.js';
import { entryText } from './log-text.js';
import { shownAtMs, shownKnown, type TuiState } from './state.js';
import { writtenKey, writtenOwner } from './written.js';

const COLUMNS = ['kind', 'key', 'owner', 'leftMs', 'health', 'resource'];

/** The view as a file: where and when it was, the leases in tab-separated lines as `list` prints them, and the log. */
export function exportText(state: TuiState): string {
  const { view, source } = state;
  const atMs = shownAtMs(state);
  const { feed, log } = shownKnown(state);
  return [
    `# ${sourceText(source)}`,
    `# ${formatInstant(atMs)}${feed.kind === 'stale' ? `, last known at ${formatInstant(feed.sinceMs)}` : ''}`,
    `# ${view.shown.length} of ${view.sorted.length} leases`,
    `# ${COLUMNS.join('\t')}`,
    ...view.shown.map((row) => leaseLine(row, atMs)),
    ...log.map(logLine),
    '',
  ].join('\n');
}

function leaseLine(row: LeaseRow, atMs: number): string {
  const { parts, health } = row;
  const resource = escapeText(resourceOf(row)) || '-';
  return [
    parts.kind,
    writtenKey(row),
    writtenOwner(row),
    leftAt(row, atMs) ?? '-',
    health ?? '-',
    resource,
  ].join('\t');
}

function logLine(entry: LogEntry): string {
  const { word, subject, detail } = entryText(entry);
  return ['#', formatInstant(entry.atMs), word, subject, detail].join(' ').trimEnd();
}
