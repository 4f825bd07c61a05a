const MODES = ['?1049', '?25', '?7', '?2004'] as const;
/** Modes that are on in a terminal that nobody has changed; the others are off. */
const ON_AT_FIRST: readonly string[] = ['?25', '?7'];

/** The last state that each mode was set to: alternate screen, cursor, wrapping, bracketed paste. */
export function terminalModes(raw: string): Readonly<Record<string, boolean>> {
  return Object.fromEntries(
    MODES.map((mode) => {
      const set = raw.lastIndexOf(`\u001b[${mode}h`);
      const reset = raw.lastIndexOf(`\u001b[${mode}l`);
      return [mode, set === reset ? ON_AT_FIRST.includes(mode) : set > reset];
    }),
  );
}

/** While the screen is shown. */
export const ON_SCREEN = { '?1049': true, '?25': false, '?7': false, '?2004': true };
/** As in a terminal that nobody has changed. */
export const AS_BEFORE = { '?1049': false, '?25': true, '?7': true, '?2004': false };
