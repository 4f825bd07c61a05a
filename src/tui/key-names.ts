/** What Ink tells about a key press, as far as it is used. */
export interface InkKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly ctrl: boolean;
  readonly meta: boolean;
}

const SPECIAL = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pagedown'],
  ['pageUp', 'pageup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
] as const satisfies readonly (readonly [keyof InkKey, string])[];

/**
 * The keys that one piece of input is: a terminal that is slow, or a quick hand, sends several at once. A character is
 * its own name. With Alt held it is none.
 */
export function keyNames(input: string, key: InkKey): readonly string[] {
  const special = SPECIAL.find(([flag]) => key[flag]);
  if (special) return [special[1]];
  if (key.meta) return [];
  if (key.ctrl) return [`ctrl+${input}`];
  return Array.from(input, nameOf);
}

const CONTROL_NAMES: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
};

function nameOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0x20 && code !== 0x7f) return character;
  return CONTROL_NAMES[character] ?? `ctrl+${String.fromCharCode(code + 0x60)}`;
}
