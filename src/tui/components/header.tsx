import type { BackendSource } from '../../lease/backend.js';
import { escapeText } from '../../lease/text.js';
import { formatDuration, formatInstant } from '../../output/durations.js';
import { printable } from '../../output/printable.js';
import { elapsedText } from '../coarse-duration.js';
import { cutText } from '../fit-text.js';
import type { Counts, Feed } from '../known.js';
import { type Canvas, Line, type Span, textOfSpans, widthOfSpans } from './line.js';

interface HeaderProps {
  readonly canvas: Canvas;
  readonly source: BackendSource;
  readonly counts: Counts;
  readonly isComplete: boolean;
  readonly feed: Feed;
  readonly nowMs: number;
  readonly isWritable: boolean;
  /** Where a recording stands; absent for what is live. */
  readonly recordedAtMs?: number | undefined;
}

/** Where the leases are, how many, how fresh, and whether they can be changed. */
export function Header(props: HeaderProps) {
  const { canvas, source, recordedAtMs, isWritable } = props;
  const badge: Span =
    recordedAtMs !== undefined
      ? { text: ' RECORDING ', tone: 'strong' }
      : isWritable
        ? { text: ' WRITE ', tone: 'warn' }
        : { text: ' READ-ONLY ', tone: 'strong' };
  const name: Span = { text: ' mastra-lease  ', tone: 'strong' };
  return (
    <>
      <Line
        canvas={canvas}
        spans={[...(canvas.width < 80 ? [' '] : [name]), ...placeSpans(source)]}
        right={[badge]}
      />
      <CountsLine {...props} />
    </>
  );
}

function CountsLine({ canvas, counts, isComplete, feed, nowMs, recordedAtMs }: HeaderProps) {
  const clock = `${formatInstant(recordedAtMs ?? nowMs).slice(11, 19)}Z `;
  const left = isComplete ? countSpans(counts) : [' reading the leases…'];
  const room = canvas.width - widthOfSpans(left) - 2;
  const freshness = freshnessSpan(feed, recordedAtMs ?? nowMs);
  const whole = [freshness, ` · ${clock}`];
  // What is stale is never told in fewer words for want of room: the clock goes first.
  const right = widthOfSpans(whole) <= room ? whole : [freshness, ' '];
  return <Line canvas={canvas} spans={left} right={cutRight(right, room)} />;
}

function cutRight(spans: readonly Span[], room: number): readonly Span[] {
  const [first] = spans;
  if (widthOfSpans(spans) <= room || first === undefined || typeof first === 'string') return spans;
  return [{ ...first, text: cutText(first.text, Math.max(10, room - 1)) }, ' '];
}

/** The backend without secrets, what it is, and under which prefix. */
function placeSpans({ context, backend, server, role, keyPrefix, isNoop }: BackendSource): readonly Span[] {
  const where = [printable(backend), ...(server === undefined ? [] : [printable(server)])].join(' · ');
  const isSure = role === undefined || role === 'primary';
  const roleSpan: Span = {
    text: role === undefined ? '' : ` ${role === 'unverified' ? 'role unverified' : role}`,
    tone: isSure ? undefined : 'warn',
  };
  return [
    ...(context === undefined ? [] : [{ text: escapeText(context), tone: 'strong' } as const, ' · ']),
    where,
    roleSpan,
    ...(keyPrefix === undefined ? [] : [` · ${escapeText(keyPrefix)}`]),
    ...(isNoop ? [{ text: ' · NO LEASING: every caller wins', tone: 'bad' } as const] : []),
  ];
}

/** The same as one text. */
export function placeText(source: BackendSource): string {
  return textOfSpans(placeSpans(source));
}

function countSpans({ total, late, noExpiry }: Counts): readonly Span[] {
  return [
    ` ${total} ${total === 1 ? 'lease' : 'leases'}`,
    ...(late > 0 ? [' · ', { text: `${late} late`, tone: 'warn' } as const] : []),
    ...(noExpiry > 0 ? [' · ', { text: `${noExpiry} without expiry`, tone: 'bad' } as const] : []),
  ];
}

function freshnessSpan(feed: Feed, nowMs: number): Exclude<Span, string> {
  switch (feed.kind) {
    case 'starting':
      return { text: 'connecting', tone: 'dim' };
    case 'live':
      return feed.how === 'pushed' || feed.intervalMs === undefined
        ? { text: feed.how, tone: 'good' }
        : { text: `polling ${formatDuration(feed.intervalMs).replace('.0 s', ' s')}`, tone: 'good' };
    case 'stale':
      return {
        text: `STALE ${elapsedText(nowMs - feed.sinceMs)}: ${printable(feed.reason)}`,
        tone: 'bad',
      };
  }
}
