import { describe, expect, it } from 'vitest';
import { hasColour, makeTheme } from '../../../src/output/theme.js';

describe('the one gate for colour', () => {
  const terminal = { isTerminal: true, env: {}, isRefused: false };

  it.each([
    ['a terminal', terminal, true],
    ['a pipe', { ...terminal, isTerminal: false }, false],
    ['--no-color', { ...terminal, isRefused: true }, false],
    ['NO_COLOR', { ...terminal, env: { NO_COLOR: '1' } }, false],
    ['an empty NO_COLOR, which is none', { ...terminal, env: { NO_COLOR: '' } }, true],
    ['a dumb terminal', { ...terminal, env: { TERM: 'dumb' } }, false],
    ['FORCE_COLOR in a pipe', { ...terminal, isTerminal: false, env: { FORCE_COLOR: '1' } }, true],
    ['FORCE_COLOR=0 on a terminal', { ...terminal, env: { FORCE_COLOR: '0' } }, false],
    ['FORCE_COLOR=false on a terminal', { ...terminal, env: { FORCE_COLOR: 'false' } }, false],
    ['NO_COLOR against FORCE_COLOR', { ...terminal, env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
    ['--no-color against FORCE_COLOR', { ...terminal, isRefused: true, env: { FORCE_COLOR: '1' } }, false],
  ])('for %s', (_, settings, expected) => {
    expect(hasColour(settings)).toBe(expected);
    expect(makeTheme(settings).bad('x') === 'x').toBe(!expected);
  });
});
