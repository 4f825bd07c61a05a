import { parseOwner } from '../../lease/owner.js';
import { escapeText } from '../../lease/text.js';
import { formatDuration, formatInstant } from '../../output/durations.js';
import { describeKey } from '../../output/key-words.js';
import { elapsedText } from '../coarse-duration.js';
import { keyOfEntry, type LogEntry } from '../event-log.js';
import { HEALTH_TONE, HEALTH_WORD } from '../health-word.js';
import { type LeaseRow, leftAt, type Renewals } from '../lease-row.js';
import { bar, sparkline } from '../meters.js';
import { writtenKey, writtenOwner } from '../written.js';
import { type Canvas, Line, type Span } from './line.js';
import { entrySpans } from './log.js';
import { leftText } from './table.js';

interface DetailProps {
  readonly canvas: Canvas;
  readonly height: number;
  /** The lease as it was last held. */
  readonly lease: LeaseRow;
  readonly isHeld: boolean;
  readonly isStale: boolean;
  readonly log: readonly LogEntry[];
  readonly atMs: number;
}

/** All that is known about one lease, and what happened to it while it was watched. */
export function Detail({ canvas, height, lease, log, ...moment }: DetailProps) {
  const facts = factsOf(lease, moment);
  const history = log.filter((entry) => keyOfEntry(entry) === lease.key);
  const room = Math.max(0, height - facts.length - 3);
  const lines: readonly (readonly Span[])[] = [
    [{ text: ` ${describe(lease)}`, tone: 'strong' }],
    ...facts.map(([name, ...spans]) => [{ text: `   ${name.padEnd(10)}`, tone: 'dim' } as const, ...spans]),
    [],
    [
      {
        text: ` HISTORY${history.length === 0 ? '   nothing happened while it was watched' : ''}`,
        tone: 'dim',
      },
    ],
    ...history
      .slice(-room)
      .reverse()
      .map((entry) => entrySpans(entry, canvas.width, true)),
  ];
  return (
    <>
      {Array.from({ length: height }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the detail is its place
        <Line key={line} canvas={canvas} spans={lines[line] ?? []} />
      ))}
    </>
  );
}

type Fact = readonly [name: string, ...spans: Span[]];

function factsOf(
  lease: LeaseRow,
  { isHeld, isStale, atMs }: Pick<DetailProps, 'isHeld' | 'isStale' | 'atMs'>,
): readonly Fact[] {
  const { health, endsAtMs, longestMs, seenAtMs, renewals } = lease;
  const key: Fact = ['key', writtenKey(lease)];
  if (!isHeld) {
    return [
      key,
      ['owner', { text: 'nobody holds it any more', tone: 'warn' }, `   last ${writtenOwner(lease)}`],
    ];
  }
  const left = leftAt(lease, atMs);
  const of = typeof left === 'number' && longestMs > 0 ? ` of ${formatDuration(longestMs)}   ` : '   ';
  return [
    key,
    ['owner', writtenOwner(lease), ...ownerWords(lease.owner)],
    [
      'left',
      leftText(left, isStale),
      of,
      typeof left === 'number' ? bar(left, longestMs, 10) : '',
      typeof endsAtMs === 'number' ? `   until ${formatInstant(endsAtMs)}` : left === null ? 'no expiry' : '',
    ],
    ['health', health === undefined ? '?' : { text: HEALTH_WORD[health], tone: HEALTH_TONE[health] }],
    ['seen', `since ${formatInstant(seenAtMs)}, ${elapsedText(atMs - seenAtMs)}`],
    ['renewals', renewalWords(renewals, atMs), '   ', sparkline(renewals.intervalsMs, longestMs, 16)],
  ];
}

function ownerWords(owner: string): readonly Span[] {
  const parts = parseOwner(owner);
  if (parts.kind === 'plain') return [];
  return [{ text: `   run ${escapeText(parts.runId)} · process ${escapeText(parts.process)}`, tone: 'dim' }];
}

function renewalWords({ count, lastAtMs, intervalsMs }: Renewals, atMs: number): string {
  if (count === 0) return 'none seen';
  const last = lastAtMs === undefined ? '' : `, the last ${elapsedText(atMs - lastAtMs)} ago`;
  if (intervalsMs.length === 0) return `${count} seen${last}`;
  const mean = intervalsMs.reduce((sum, interval) => sum + interval, 0) / intervalsMs.length;
  return `${count} seen${last}, every ${formatDuration(mean)}, longest ${formatDuration(Math.max(...intervalsMs))}`;
}

function describe({ key, keyHex, parts }: LeaseRow): string {
  if (keyHex !== undefined) return `key ${writtenKey({ key, keyHex })}`;
  return parts.kind === 'other' ? `key ${escapeText(key)}` : describeKey(key);
}
