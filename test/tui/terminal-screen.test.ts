import { expect, test } from 'vitest';
import { TerminalScreen } from '../../src/tui/terminal-screen.js';

function openScreen() {
  const written: string[] = [];
  const screen = new TerminalScreen((text) => written.push(text));
  screen.open();
  written.length = 0;
  return { screen, written };
}

const ESC = '\u001b[';

test('a line that changed is written whole, the others are left alone', () => {
  const { screen, written } = openScreen();
  screen.draw(['one', 'two', 'three']);
  written.length = 0;
  screen.draw(['one', 'two!', 'three']);
  expect(written).toEqual([`${ESC}?2026h${ESC}2;1H${ESC}2Ktwo!${ESC}?2026l`]);
});

test('the same frame writes nothing, a shorter one clears what is left, a cleared screen is drawn whole', () => {
  const { screen, written } = openScreen();
  screen.draw(['one', 'two']);
  written.length = 0;
  screen.draw(['one', 'two']);
  expect(written).toEqual([]);
  screen.draw(['one']);
  expect(written.splice(0)).toEqual([`${ESC}?2026h${ESC}2;1H${ESC}2K${ESC}?2026l`]);
  screen.clear();
  screen.draw(['one']);
  expect(written.join('')).toContain('one');
});

test('after the end nothing is drawn, and the end is said once', () => {
  const { screen, written } = openScreen();
  screen.close();
  expect(written.splice(0)).toEqual([`${ESC}?2004l${ESC}?7h${ESC}?25h${ESC}?1049l`]);
  screen.draw(['late']);
  screen.clear();
  screen.close();
  expect(written).toEqual([]);
});
