import { describe, expect, test } from 'vitest';
import { keyNames } from '../../src/tui/key-names.js';
import { bindingsAt, intentOf, KEYMAP, type KeyPlace } from '../../src/tui/keymap.js';

const PLACES: readonly KeyPlace[] = ['table', 'detail', 'help', 'typing', 'too-small'];
const NO_KEY = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  tab: false,
  backspace: false,
  delete: false,
  ctrl: false,
  meta: false,
};

describe('the keymap', () => {
  test.each(PLACES)('gives each key one meaning: %s', (place) => {
    for (const isReplay of [false, true]) {
      const keys = bindingsAt(place, isReplay).flatMap(({ keys }) => keys);
      expect(keys).toEqual([...new Set(keys)]);
    }
  });

  test('tells of every key outside of typing in a line of the help, its own or that of the key before', () => {
    const read = KEYMAP.filter(({ places }) => !places.includes('typing') || places.length > 1);
    const told = read.map(({ help }, index) => help ?? read[index - 1]?.help);
    expect(told).not.toContain(undefined);
  });

  test('leaves Ctrl-C everywhere', () => {
    for (const place of PLACES) expect(intentOf('ctrl+c', place, false)).toEqual({ type: 'interrupt' });
  });

  test('takes any other key as text while something is typed, and as nothing elsewhere', () => {
    expect(intentOf('q', 'typing', false)).toEqual({ type: 'edit', edit: { how: 'insert', text: 'q' } });
    expect(intentOf('\u{1f600}', 'typing', false)).toEqual({
      type: 'edit',
      edit: { how: 'insert', text: '\u{1f600}' },
    });
    expect(intentOf('up', 'typing', false)).toBeUndefined();
    expect(intentOf('z', 'table', false)).toBeUndefined();
  });

  test('knows no write in a recording, and no step outside of one', () => {
    expect(intentOf('x', 'table', true)).toBeUndefined();
    expect(intentOf('left', 'table', false)).toBeUndefined();
  });
});

describe('names of keys', () => {
  test.each([
    ['', { upArrow: true }, ['up']],
    ['\r', { return: true }, ['enter']],
    ['c', { ctrl: true }, ['ctrl+c']],
    ['q', { meta: true }, []],
    ['jj', {}, ['j', 'j']],
    ['/a\r', {}, ['/', 'a', 'enter']],
    ['a\u0015b', {}, ['a', 'ctrl+u', 'b']],
    ['é\u{1f600}', {}, ['é', '\u{1f600}']],
  ])('%j', (input, key, expected) => {
    expect(keyNames(input, { ...NO_KEY, ...key })).toEqual(expected);
  });
});
