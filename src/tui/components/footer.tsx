import { bindingsAt, type KeyPlace, type Words } from '../keymap.js';
import { type Canvas, Line, type Span, widthOfSpans } from './line.js';

interface FooterProps {
  readonly canvas: Canvas;
  readonly place: KeyPlace;
  readonly isReplay: boolean;
  readonly isWritable: boolean;
}

/** The keys that are worth knowing here. Where there is little room, the first and the last are. */
export function Footer({ canvas, place, isReplay, isWritable }: FooterProps) {
  const hints = bindingsAt(place, isReplay).flatMap(({ hint, isWrite }) =>
    hint && (isWritable || !isWrite) ? [hintSpans(hint)] : [],
  );
  while (hints.length > 2 && widthOfSpans(hints.flat()) > canvas.width) hints.splice(-2, 1);
  return <Line canvas={canvas} spans={hints.flat()} />;
}

function hintSpans([keys, words]: Words): readonly Span[] {
  return [{ text: ` ${keys}`, tone: 'strong' }, ` ${words}  `];
}
