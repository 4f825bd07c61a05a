import { Text } from 'ink';
import { memo } from 'react';
import type { Theme } from '../../output/theme.js';
import { cutText, widthOf } from '../fit-text.js';

/** Some text of a line in one colour. */
export type Span = string | { readonly text: string; readonly tone: keyof Theme | undefined };

/** What every component needs to draw a line. */
export interface Canvas {
  readonly width: number;
  readonly theme: Theme;
}

interface LineProps {
  readonly canvas: Canvas;
  readonly spans: readonly Span[];
  /** What stands at the right end; it keeps its place when the rest is too long. */
  readonly right?: readonly Span[];
}

/** One line of the screen, never wider than the terminal. What is in it must be printable. */
export function Line({ canvas, spans, right = [] }: LineProps) {
  const { width, theme } = canvas;
  const rightWidth = Math.min(width, widthOfSpans(right));
  const left = painted(spans, width - rightWidth, theme);
  const space = ' '.repeat(Math.max(0, width - rightWidth - left.width));
  const end = rightWidth > 0 ? space + painted(right, rightWidth, theme).text : '';
  // An empty text takes no line at all.
  return <Written text={left.text + end || ' '} />;
}

/** Lines that are as they were are left alone. */
const Written = memo(function Written({ text }: { readonly text: string }) {
  return <Text wrap="truncate">{text}</Text>;
});

/** The width of spans together. */
export function widthOfSpans(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + widthOf(textOf(span)), 0);
}

/** Spans without their colours. */
export function textOfSpans(spans: readonly Span[]): string {
  return spans.map(textOf).join('');
}

function textOf(span: Span): string {
  return typeof span === 'string' ? span : span.text;
}

function painted(spans: readonly Span[], width: number, theme: Theme) {
  let left = width;
  let text = '';
  for (const span of spans) {
    const cut = cutText(textOf(span), left);
    const tone = typeof span === 'string' ? undefined : span.tone;
    text += tone === undefined || cut === '' ? cut : theme[tone](cut);
    left -= widthOf(cut);
  }
  return { text, width: width - left };
}
