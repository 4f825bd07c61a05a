import { escapeText } from '../../lease/text.js';
import { formatInstant } from '../../output/durations.js';
import { printable } from '../../output/printable.js';
import { elapsedText } from '../coarse-duration.js';
import { cutTextStart } from '../fit-text.js';
import { shownAtMs, type TuiState } from '../state.js';
import { type Canvas, Line, type Span, widthOfSpans } from './line.js';

/** The line below the header: what is typed, else what is to be told, and at its end how the table is narrowed. */
export function Status({ canvas, state }: { readonly canvas: Canvas; readonly state: TuiState }) {
  const right = narrowing(state);
  const room = canvas.width - widthOfSpans(right);
  return <Line canvas={canvas} spans={saying(state, room)} right={right} />;
}

/** The mark where the next character goes. */
export const CURSOR = '▏';

function saying(state: TuiState, room: number): readonly Span[] {
  const { prompt, notice } = state;
  if (prompt?.kind === 'filter') return typedSpans(' / ', prompt.text, room);
  if (prompt?.kind === 'export') {
    if (prompt.problem !== undefined) return [{ text: ` ${prompt.problem}`, tone: 'warn' }];
    return typedSpans(' export to the file ', prompt.text, room);
  }
  return [...standingSpans(state), ...(notice ? [{ text: ` ${notice.text}`, tone: notice.tone }] : [])];
}

/** That what is shown is not what is now, which nothing may hide. */
function standingSpans(state: TuiState): readonly Span[] {
  const { frozen, replay, nowMs } = state;
  if (frozen) {
    const since = `${elapsedText(nowMs - frozen.atMs)}, ${frozen.missed} events since `;
    return [{ text: ' PAUSED ', tone: 'warn' }, since];
  }
  if (!replay) return [];
  const { position, events, isPlaying, speed, problem } = replay;
  const at = formatInstant(shownAtMs(state)).slice(11, 23);
  const how = isPlaying ? `PLAYING ×${speed}` : position >= events.length ? 'END' : 'STANDING';
  return [
    { text: ` ${how} `, tone: 'strong' },
    `event ${position} of ${events.length} · ${at}Z `,
    ...(problem === undefined ? [] : [{ text: `· ${printable(problem)} `, tone: 'warn' } as const]),
  ];
}

function typedSpans(label: string, text: string, room: number): readonly Span[] {
  return [{ text: label, tone: 'strong' }, cutTextStart(escapeTyped(text), room - label.length - 1), CURSOR];
}

/** What is typed is shown as it is, but for what would not be seen. */
export function escapeTyped(text: string): string {
  return escapeText(text).replaceAll('\\\\', '\\');
}

function narrowing({ view, prompt }: TuiState): readonly Span[] {
  const { filter, onlyProblems, shown, sorted } = view;
  const isTyping = prompt?.kind === 'filter';
  if (filter === '' && !onlyProblems) return [];
  const parts = [
    ...(onlyProblems ? ['only problems'] : []),
    ...(filter !== '' && !isTyping ? [`filter: ${escapeTyped(filter)}`] : []),
    `${shown.length} of ${sorted.length}`,
  ];
  return [{ text: `${parts.join(' · ')} `, tone: 'strong' }];
}
