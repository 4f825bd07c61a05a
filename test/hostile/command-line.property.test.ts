import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.js';
import { SqliteLeaseProvider } from '../../src/providers/sqlite/index.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { expectSafe, HARMFUL, hostileText } from './hostile-text.js';
import { type Ran, runInProcess } from './in-process.js';

let directory: TempDir;
let backend: string;

beforeAll(async () => {
  directory = await makeTempDir();
  const path = join(directory.path, 'leases.db');
  backend = `sqlite:${path}`;
  const leases = new SqliteLeaseProvider({ path });
  for (const text of HARMFUL.filter((one) => one.isWellFormed()))
    await leases.acquireLease(text, text, 600_000);
  await leases.close();
});
afterAll(() => directory.remove());

/** It ended as documented, told what it did not take in one line, and printed nothing that a terminal acts on. */
function expectGoodEnd({ exitCode, stdout, stderr }: Ran): void {
  expect(Object.keys(EXIT_CODES)).toContain(String(exitCode));
  expect({ exitCode, stderr }).not.toMatchObject({ exitCode: 1 });
  expectSafe(stdout);
  expectSafe(stderr);
  if (exitCode === 2) expect(stderr).toMatch(/^(error [^\n]+\n|Usage: )/m);
}

/** Verbs that end by themselves, and soon. */
const VERBS = [
  'owner',
  'list',
  'acquire',
  'renew',
  'transfer',
  'release',
  'wait',
  'inspect',
  'check',
] as const;
const FLAGS = [
  '--owner',
  '--from',
  '--to',
  '--ttl',
  '--thread',
  '--resource',
  '--literal',
  '--force',
  '--yes',
  '--dry-run',
  '--json',
  '--quiet',
  '--verbose',
  '--until',
  '--sort',
  '--limit',
  '--key-prefix',
  '--reason',
  '--context',
  '--config',
  '--env-file',
  '--password-file',
  '--missing-ok',
  '--or-acquire',
  '--',
  '-',
  '-h',
] as const;
const VALUES = [
  'free',
  'held',
  '15s',
  '0',
  '-1',
  '1e9',
  '9999999999999d',
  'NaN',
  'run-1',
  'user-42\\0t-1',
  '\\q',
  '\\u{110000}',
];

const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...FLAGS) },
  { weight: 2, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 3, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...FLAGS), hostileText).map(([flag, text]) => `${flag}=${text}`),
  },
);

test('any arguments end with a documented code, one line about what was wrong, and nothing that a terminal acts on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...VERBS), fc.array(word, { maxLength: 6 }), async (verb, words) => {
      const bounded = verb === 'wait' ? ['--timeout', '0'] : [];
      expectGoodEnd(
        await runInProcess([verb, ...bounded, ...words], {
          env: { MASTRA_LEASE_BACKEND: backend },
          cwd: directory.path,
        }),
      );
    }),
    { numRuns: 1_000 },
  );
}, 120_000);

test('any word may stand where the verb is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(word, fc.constantFrom('help', 'demo ', 'Owner')), { maxLength: 3 }),
      async (words) => {
        expectGoodEnd(
          await runInProcess(words, { env: { MASTRA_LEASE_BACKEND: backend }, cwd: directory.path }),
        );
      },
    ),
    { numRuns: 200 },
  );
});

const VARIABLES = [
  'MASTRA_LEASE_BACKEND',
  'MASTRA_LEASE_CONTEXT',
  'MASTRA_LEASE_OWNER',
  'MASTRA_LEASE_KEY_PREFIX',
  'MASTRA_LEASE_USERNAME',
  'MASTRA_LEASE_PASSWORD',
  'MASTRA_AGENT_THREAD_LEASE_TTL_MS',
  'REDIS_URL',
  'XDG_STATE_HOME',
  'XDG_CONFIG_HOME',
  'NO_COLOR',
  'CI',
] as const;

const URLS = fc
  .tuple(
    fc.constantFrom(
      'redis://',
      'rediss://',
      'redis+cluster://',
      'redis+sentinel://',
      'redis+unix://',
      'sqlite:',
      'valkey:',
      '',
    ),
    fc.oneof(hostileText, fc.constantFrom('127.0.0.1:1', '[::1', 'h:99999', '@', '/..')),
    fc.oneof(hostileText, fc.constantFrom('', '/0', '/x', '?db=1&db=2', '#')),
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));

test('any environment ends with a documented code, and one line about what was wrong', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('owner', 'acquire', 'list'),
      fc.dictionary(fc.constantFrom(...VARIABLES), fc.oneof(hostileText, URLS)),
      async (verb, env) => {
        const words = verb === 'list' ? [] : ['deploy'];
        const options = ['--timeout', '200ms'];
        // A place of its own for whatever is made.
        const places = { XDG_STATE_HOME: directory.path, ...env };
        if (!places.XDG_STATE_HOME.startsWith('/')) places.XDG_STATE_HOME = directory.path;
        expectGoodEnd(await runInProcess([verb, ...words, ...options], { env: places, cwd: directory.path }));
      },
    ),
    { numRuns: 200 },
  );
}, 120_000);

describe('keys on stdin', () => {
  const json = fc.oneof(
    fc.json(),
    hostileText.map((key) => JSON.stringify({ key })),
    hostileText.map((keyHex) => JSON.stringify({ key: 'a', keyHex })),
    hostileText.map((key) =>
      JSON.stringify({ schema: 'mastra-lease/lease@1', key: { raw: key }, owner: key }),
    ),
    hostileText,
    fc.constant('['.repeat(10_000)),
  );

  test('of any content end with a documented code, and name the line that was wrong', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(json, { minLength: 1, maxLength: 5 }), async (lines) => {
        const ran = await runInProcess(['owner', '-'], {
          env: { MASTRA_LEASE_BACKEND: backend },
          stdin: lines.join('\n'),
          cwd: directory.path,
        });
        expectGoodEnd(ran);
        if (ran.exitCode === 2 && ran.stdout === '' && lines.join('').trim() !== '') {
          expect(ran.stderr).toMatch(/line \d+|stdin/);
        }
      }),
      { numRuns: 300 },
    );
  }, 120_000);

  test('that are no UTF-8 are refused', async () => {
    const stdin = Buffer.concat([Buffer.from('{"key":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]);
    const ran = await runInProcess(['owner', '-'], { env: { MASTRA_LEASE_BACKEND: backend }, stdin });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expectGoodEnd(ran);
  });
});

describe('a config file', () => {
  const value = fc.oneof(
    hostileText,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(hostileText, { maxLength: 2 }),
  );
  const fields = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'backend',
        'contexts',
        'defaultContext',
        'keyPrefix',
        'timeout',
        'tls',
        'password',
        'links',
        'readOnly',
      ),
      hostileText,
    ),
    fc.oneof(value, fc.dictionary(hostileText, fc.oneof(value, fc.dictionary(hostileText, value)))),
  );
  const text = fc.oneof(
    fields.map((config) => JSON.stringify(config)),
    fields.map((config) => JSON.stringify(config).slice(0, -3)),
    hostileText,
    fc.constant('['.repeat(50_000)),
  );

  test('of any content ends with a documented code, and one line that names the file', async () => {
    const path = join(directory.path, 'mastra-lease.config.json');
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom('owner', 'check'), async (config, verb) => {
        await writeFile(path, config, { mode: 0o600 });
        const words = verb === 'owner' ? ['deploy', '--timeout', '200ms'] : ['--contexts'];
        const ran = await runInProcess([verb, ...words, '--config', path], { cwd: directory.path });
        expectGoodEnd(ran);
        if (ran.exitCode === 2) expect(ran.stderr).toMatch(/mastra-lease\.config\.json|backend|context/i);
      }),
      { numRuns: 300 },
    );
  }, 120_000);
});

describe('a recording', () => {
  test('of any content ends with a documented code, and one line that names the file', async () => {
    const path = join(directory.path, 'recording.ndjson');
    const head = '{"schema":"mastra-lease/recording@1","version":"0.1.0","at":"2026-11-29T02:14:09.204Z"}';
    const line = fc.oneof(
      fc.json(),
      hostileText,
      fc.constant(head),
      fc.tuple(hostileText, hostileText).map(([key, owner]) =>
        JSON.stringify({
          schema: 'mastra-lease/event@1',
          type: 'held',
          at: '2026-11-29T02:14:09.204Z',
          key,
          owner,
        }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), fc.boolean(), async (lines, hasHead) => {
        await writeFile(path, [...(hasHead ? [head] : []), ...lines].map((one) => `${one}\n`).join(''));
        const ran = await runInProcess(['watch', '--replay', path], { cwd: directory.path });
        expectGoodEnd(ran);
        if (ran.exitCode !== 0) expect(ran.stderr).toContain('recording.ndjson');
      }),
      { numRuns: 300 },
    );
  }, 120_000);
});
