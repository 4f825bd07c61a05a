import { escapeText } from '../lease/text.js';
import type { RecordedCall } from './call.js';
import type { CallReport, Evidence } from './report.js';

/** How many calls are shown; of more, the last ones. */
const SHOWN_CALLS = 40;
/** How many columns the bars of a time line take. */
const BAR_COLUMNS = 36;
/** How much of a text is shown. */
const SHOWN_TEXT = 60;

/** What shows a finding: the calls in their order, as data and as a time line. `runStartMs` is on the calls' clock. */
export function makeEvidence(
  expected: string,
  all: readonly RecordedCall[],
  { scratch, runStartMs }: { readonly scratch: string; readonly runStartMs: number },
): Evidence {
  const calls = all
    .toSorted((a, b) => a.startMs - b.startMs || a.startOrder - b.startOrder)
    .slice(-SHOWN_CALLS);
  const more = all.length - calls.length;
  return {
    expected,
    calls: calls.map((call) => reportCall(call, runStartMs)),
    timeLine: [
      ...(more > 0 ? [`… ${more} earlier ${more === 1 ? 'call' : 'calls'}`] : []),
      ...timeLine(calls, scratch),
    ],
  };
}

function reportCall(call: RecordedCall, runStartMs: number): CallReport {
  const { client, method, args, startMs, endMs, failure } = call;
  return {
    client,
    method,
    args,
    startMs: toMicroseconds(startMs - runStartMs),
    endMs: toMicroseconds(endMs - runStartMs),
    ...(failure === undefined ? { answer: call.answer } : { failure }),
  };
}

/** More than three places of a millisecond are noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/**
 * One line a call, in the order in which they began: when, who, a bar from its beginning to its end where calls overlap,
 * what was asked and what was answered. The bars show order, not duration.
 */
function timeLine(calls: readonly RecordedCall[], scratch: string): readonly string[] {
  const [first] = calls;
  if (!first) return [];
  const bars = overlap(calls) ? barsOf(calls) : undefined;
  const rows = calls.map((call, index) => ({
    times: `${ms(call.startMs - first.startMs)} – ${ms(call.endMs - first.startMs)} ms`,
    client: call.client,
    bar: bars?.[index],
    text: `${call.method}(${call.args.map((arg) => argumentText(arg, scratch)).join(', ')}) → ${answerText(call, scratch)}`,
  }));
  const timesWidth = Math.max(...rows.map(({ times }) => times.length));
  const clientWidth = Math.max(...rows.map(({ client }) => client.length));
  return rows.map(({ times, client, bar, text }) =>
    [times.padStart(timesWidth), client.padEnd(clientWidth), ...(bar === undefined ? [] : [bar]), text].join(
      '  ',
    ),
  );
}

function ms(value: number): string {
  return value.toFixed(2);
}

function overlap(calls: readonly RecordedCall[]): boolean {
  return calls.some((call, index) => {
    const next = calls[index + 1];
    return next !== undefined && !endsBefore(call, next);
  });
}

function endsBefore(call: RecordedCall, next: RecordedCall): boolean {
  return call.place === next.place ? call.endOrder < next.startOrder : call.endMs <= next.startMs;
}

/** Where each call begins and ends among all beginnings and ends. */
function barsOf(calls: readonly RecordedCall[]): readonly string[] {
  const isOnePlace = calls.every(({ place }) => place === calls[0]?.place);
  const events = calls
    .flatMap((call, index) => [
      { index, isStart: true, atMs: call.startMs, place: call.place, order: call.startOrder },
      { index, isStart: false, atMs: call.endMs, place: call.place, order: call.endOrder },
    ])
    .sort((a, b) => (isOnePlace ? a.order - b.order : a.atMs - b.atMs));
  const scale = Math.min(2, (BAR_COLUMNS - 1) / Math.max(1, events.length - 1));
  const columns = Math.round((events.length - 1) * scale) + 1;
  const bounds = new Map<number, { start: number; end: number }>();
  for (const [position, { index, isStart }] of events.entries()) {
    const column = Math.round(position * scale);
    const bound = bounds.get(index) ?? { start: column, end: column };
    bounds.set(index, isStart ? { ...bound, start: column } : { ...bound, end: column });
  }
  return calls.map((_, index) => {
    const { start, end } = bounds.get(index) ?? { start: 0, end: 0 };
    const bar = end > start ? `[${'='.repeat(end - start - 1)}]` : '|';
    return (' '.repeat(start) + bar).padEnd(columns);
  });
}

function argumentText(value: unknown, scratch: string): string {
  return typeof value === 'string' ? quoted(value, scratch) : String(value);
}

function answerText({ answer, failure }: RecordedCall, scratch: string): string {
  return failure === undefined ? valueText(answer, scratch) : `threw: ${shorten(escapeText(failure))}`;
}

function valueText(value: unknown, scratch: string): string {
  if (typeof value === 'string') return quoted(value, scratch);
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(
      ([name, field]) =>
        `${escapeText(name)}: ${typeof field === 'object' ? 'an object' : valueText(field, scratch)}`,
    );
  return fields.length === 0 ? '{}' : `{ ${shorten(fields.join(', '))} }`;
}

function quoted(text: string, scratch: string): string {
  return `"${shorten(escapeText(text.replaceAll(scratch, '~')))}"`;
}

function shorten(text: string): string {
  return text.length <= SHOWN_TEXT ? text : `${text.slice(0, SHOWN_TEXT - 1)}…`;
}
