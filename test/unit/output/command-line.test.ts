import { execFileSync } from 'node:child_process';
import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { owner } from '../../../src/cli/commands/owner.js';
import { readKeyRequest } from '../../../src/cli/key-requests.js';
import { parseOwnerOption } from '../../../src/cli/options.js';
import { threadKey } from '../../../src/lease/key.js';
import { commandFor, keyArguments, option, quote, withoutSecrets } from '../../../src/output/command-line.js';

/** What a POSIX shell makes of command lines: the words of each. */
function splitByShell(lines: readonly string[]): readonly (readonly string[])[] {
  const script = `show() { for word; do printf '%s\\0' "$word"; done; printf '\\n\\0'; }\n${lines.map((line) => `show ${line}\n`).join('')}`;
  const output = execFileSync('/bin/sh', { input: script, encoding: 'utf8' });
  const all: string[][] = [[]];
  for (const word of output.split('\0').slice(0, -1)) {
    if (word === '\n') all.push([]);
    else all.at(-1)?.push(word);
  }
  return all.slice(0, -1);
}

/** Strings that a backend may hold as a key: not empty, and of whole characters. */
const storedText = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1 }),
    hardText(),
  )
  .filter((text) => text.isWellFormed());

function hardText() {
  return fc
    .array(
      fc.constantFrom(
        '-',
        "'",
        '"',
        '\\',
        '\0',
        ' ',
        '\n',
        '$',
        '`',
        '!',
        '#',
        '*',
        '~',
        ';',
        '&',
        'a',
        '0',
        'é',
        '\u202e',
      ),
      { minLength: 1 },
    )
    .map((parts) => parts.join(''));
}

/** The key that arguments name, read as the command line reads them. */
async function readBack(words: readonly string[]): Promise<string> {
  const keys: string[] = [];
  const command = new Command('owner').exitOverride();
  owner.declare(command, async ({ keys: [written], options }) => {
    const request = readKeyRequest(written, options);
    keys.push(
      request.by === 'key'
        ? request.key
        : threadKey({ resource: request.resource ?? '?', thread: request.thread }),
    );
  });
  await command.parseAsync([...words], { from: 'user' });
  return keys.join();
}

describe('a word for a shell', () => {
  it('comes out as it went in, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), hardText()), { maxLength: 40 }),
        (texts) => {
          const words = texts.map((text) => text.toWellFormed().replaceAll('\0', ''));
          // The shell's own words are separated by NUL, and a line feed alone ends a line.
          const usable = words.filter((word) => word !== '\n');
          expect(splitByShell([usable.map(quote).join(' ')])).toEqual([usable]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['deploy', 'user-42', '10.0.0.5:6379/0', 'a+b=c@d%e,f', '--owner=x'])(
    'needs no quotes: %s',
    (word) => {
      expect(quote(word)).toBe(word);
    },
  );

  it('that is empty is still a word', () => {
    expect(quote('')).toBe("''");
  });
});

describe('a key as arguments', () => {
  it('names that very key after a shell and the command line have read it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(storedText, { minLength: 1, maxLength: 30 }), async (keys) => {
        const lines = splitByShell(keys.map(keyArguments));
        expect(await Promise.all(lines.map(readBack))).toEqual(keys);
      }),
      { numRuns: 40 },
    );
  });

  it('is the two ids of a thread, which survive what breaks a NUL', () => {
    expect(keyArguments('user-42\0t-1')).toBe('--resource user-42 --thread t-1');
    expect(keyArguments('\0t-1')).toBe("--resource '' --thread t-1");
    expect(keyArguments('-r\0-t')).toBe('--resource=-r --thread=-t');
    expect(keyArguments('deploy')).toBe('deploy');
    expect(keyArguments('-k')).toBe('-- -k');
    expect(keyArguments('caf\ufffd')).toBe(String.raw`'caf\u{fffd}'`);
  });
});

it('an option’s value is read back as it was', () => {
  fc.assert(
    fc.property(fc.array(storedText, { minLength: 1, maxLength: 30 }), (owners) => {
      const lines = splitByShell(owners.map((text) => option('--owner', text)));
      const read = lines.map((words) =>
        parseOwnerOption(words.join(' ').replace(/^--owner[= ]/, ''), '--owner'),
      );
      expect(read).toEqual(owners);
    }),
    { numRuns: 30 },
  );
});

describe('the command that would do', () => {
  it('has the verb and the options that were typed, and the one key', () => {
    const options = {
      color: true,
      owner: 'run-1',
      keyPrefix: 'a b',
      json: true,
      timeout: '2s',
      dryRun: true,
    };
    expect(commandFor('release', options, 'r\0t')).toBe(
      "mastra-lease release --owner run-1 --key-prefix 'a b' --json --timeout 2s --dry-run --resource r --thread t",
    );
  });

  it('has no other way of naming a key, and no option that was not typed', () => {
    const options = {
      color: false,
      thread: 't',
      resource: 'x',
      literal: true,
      orAcquire: true,
      ttl: undefined,
    };
    expect(commandFor('transfer', options, 'r\0t')).toBe(
      'mastra-lease transfer --no-color --or-acquire --resource r --thread t',
    );
  });

  it('keeps a value that begins with a dash with its option, and a key behind --', () => {
    expect(commandFor('release', { color: true, owner: '-o' }, '-k')).toBe(
      'mastra-lease release --owner=-o -- -k',
    );
  });

  it('writes control characters of a value in their written form', () => {
    expect(commandFor('release', { color: true, owner: 'a\u001b[31m' }, 'k')).toBe(
      String.raw`mastra-lease release --owner 'a\x1b[31m' k`,
    );
  });

  it('has no password', () => {
    const backend = 'redis://ops:hun/ter2@10.0.0.5:6379/0?sentinelPassword=hunter2&db=1';
    const command = commandFor('owner', { color: true, backend }, 'k');
    expect(command).not.toMatch(/hun/);
    expect(command).toContain('10.0.0.5:6379/0');
  });
});

it.each([
  ['redis://h:6379/0', 'redis://h:6379/0'],
  ['redis://:secret@h', 'redis://…@h'],
  ['redis://u:sec@ret@h', 'redis://…@h'],
  ['redis://u:sec/ret@h/0', 'redis://…@h/0'],
  [
    'redis+sentinel://h/m?sentinelUsername=u&sentinelPassword=secret',
    'redis+sentinel://h/m?sentinelUsername=u&sentinelPassword=…',
  ],
  ['user@host:1:2', 'user@host:1:2'],
])('%s is shown as %s', (word, shown) => {
  expect(withoutSecrets(word)).toBe(shown);
});
