import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/conformance/random.js';
import { openRedisSite, type RedisSite } from '../cli/lease-site.js';
import { keys, startTerminal } from '../support/terminal.js';
import { HARMFUL } from './hostile-text.js';

let site: RedisSite;

beforeAll(async () => {
  site = await openRedisSite();
});
afterAll(() => site[Symbol.asyncDispose]());

/** What a keyboard, a mouse, a paste, a terminal that answers, or a cat may send. */
const TYPED = [
  ...'jkgGsr/?pPdtxy 0123456789',
  ...['\r', '\t', '\x1b', '\x7f', '\x08', '\x0c', '\x12', '\x15', '\x17', '\0'],
  ...['\x1b[A', '\x1b[B', '\x1b[5~', '\x1b[6~', '\x1b[H', '\x1b[F', '\x1bOP', '\x1b[1;5C', '\x1b[Z'],
  ...['\x1b[200~pasted\nq\x03\x1b[201~', '\x1b[<0;10;10M', '\x1b[M !!', '\x1b[?1;2c', '\x1b[I', '\x1b[O'],
  ...[
    '\x1b]11;rgb:0000/0000/0000\x1b\\',
    '\x1b[',
    '\x1b[999999999999A',
    '\x9b',
    'é',
    '漢',
    '👩‍👩‍👧‍👦',
    '\u202e',
    '\xff\xfe',
  ],
  ...['owner:', 'kind:thread', 'health:late', '*[?', '/(', '\\', 'a'.repeat(5_000)],
] as const;

test.each([1, 2, 3])(
  'whatever is typed, the screen stays up, shows ids as text, changes no lease, and ends by ctrl-c (seed %d)',
  async (seed) => {
    await site.clear();
    const stored = HARMFUL.filter((text) => text.isWellFormed());
    for (const text of stored) await site.hold(`${text}\0${text}`, text, 600_000);
    const before = await site.heldKeys();
    const random = seededRandom(seed);
    await using terminal = await startTerminal(['watch', '--backend', site.name], { columns: 100, rows: 20 });
    await terminal.waitForScreen(/READ-ONLY/);
    for (let count = 0; count < 400; count += 1) {
      terminal.type(random.pick(TYPED));
      if (random.below(40) === 0) terminal.resize(20 + random.below(120), 3 + random.below(30));
      if (random.below(10) === 0) await new Promise((resolve) => setTimeout(resolve, random.below(30)));
    }
    terminal.resize(100, 20);
    // Out of whatever was begun, and to the end.
    terminal.type(keys.escape);
    terminal.type(keys.ctrlC);
    terminal.type(keys.ctrlC);
    expect([0, 130]).toContain(await terminal.end());
    expect(await site.heldKeys()).toEqual(before);
    // Sequences that only the ids have in them: the screen writes none of these kinds.
    for (const harm of ['\x1b]52;', '\x1b]0;title', '\x1bP+q', '\u202e', '\x9b31m']) {
      expect(terminal.raw.includes(harm), JSON.stringify(harm)).toBe(false);
    }
    expect(terminal.raw).not.toMatch(/\n\s+at \S+ \(/);
  },
  60_000,
);
