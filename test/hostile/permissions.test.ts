import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lease } from '../cli/lease-cli.js';
import { openRedisSite, type RedisSite, recordOf } from '../cli/lease-site.js';

const DOCUMENT = fileURLToPath(new URL('../../docs/permissions.md', import.meta.url));
const PASSWORD = 'p';
const THREAD = { key: 'user-42\0t-1', stream: 'mastra:topic:agent.thread-stream.user-42%00t-1' };
const EVENT = { type: 'run-registered', runId: 'run-1', data: { sourceId: 'p-1' }, id: 'e-1' };

/** What the page says about one use. */
interface Use {
  readonly name: string;
  readonly rules: readonly string[];
  readonly rows: readonly Row[];
}

interface Row {
  /** The permission that is taken away; `undefined` for none. */
  readonly without: string | undefined;
  readonly words: readonly string[];
  readonly exitCode: number;
  readonly says: string;
}

const USES = readUses(await readFile(DOCUMENT, 'utf8'));

function readUses(document: string): readonly Use[] {
  return [...document.matchAll(/```acl (\w+)\n(.*)\n```\n\n((?:\|.*\n)+)/g)].map(
    ([, name = '', rules = '', table = '']) => ({
      name,
      rules: rules.split(' '),
      rows: table.trim().split('\n').slice(2).map(readRow),
    }),
  );
}

function readRow(line: string): Row {
  const [, without = '', command = '', exitCode = '', says = ''] = line.split(/(?<!\\)\|/).map((cell) =>
    cell
      .trim()
      .replace(/^`(.*)`$/, '$1')
      .replaceAll('\\|', '|'),
  );
  return {
    without: without === '·' ? undefined : without,
    words: command.split(' '),
    exitCode: Number(exitCode),
    says,
  };
}

let site: RedisSite;
let admin: Redis;
let users = 0;

beforeAll(async () => {
  site = await openRedisSite();
  admin = site.client;
});
afterAll(() => site[Symbol.asyncDispose]());

/** What the rows of the page find. */
async function arrange(): Promise<void> {
  await site.clear();
  await site.hold('held', 'run-1');
  await site.hold(THREAD.key, 'run-1');
  await admin.xadd(THREAD.stream, '*', 'event', JSON.stringify(EVENT));
}

/** Runs a command as a new user with these rules. */
async function runAs(rules: readonly string[], words: readonly string[]) {
  const name = `user-${users++}`;
  await admin.call('ACL', 'SETUSER', name, 'resetchannels', 'on', `>${PASSWORD}`, '-@all', ...rules);
  return lease(words, {
    backend: site.name,
    env: { MASTRA_LEASE_USERNAME: name, MASTRA_LEASE_PASSWORD: PASSWORD },
  });
}

test('docs/permissions.md has the rules for every use', () => {
  expect(USES.map(({ name }) => name)).toEqual(['read', 'list', 'write', 'watch', 'evidence']);
});

describe.each(USES)('the permissions to $name in docs/permissions.md', ({ name, rules, rows }) => {
  const isWrite = name === 'write';
  (isWrite ? beforeEach : beforeAll)(arrange);

  describe('are enough, and none of them can be left out', { concurrent: !isWrite }, () => {
    test.for(rows)(
      'without $without: $words ends with $exitCode',
      async ({ without, words, exitCode, says }, { expect }) => {
        if (without !== undefined) expect(rules).toContain(without);
        const result = await runAs(
          rules.filter((rule) => rule !== without),
          words,
        );
        expect({ exitCode: result.exitCode, output: result.stdout + result.stderr }).toEqual({
          exitCode,
          output: expect.stringContaining(says),
        });
        // Who was refused has changed nothing.
        if (exitCode === 10) expect(await admin.get(recordOf('held'))).toBe('run-1');
        if (exitCode === 10) expect(await admin.exists(recordOf('free'))).toBe(0);
      },
    );
  });

  test('are each in a row that shows what is missing without it', () => {
    const shown = new Set(rows.map(({ without }) => without));
    expect(rules.filter((rule) => !rule.startsWith('~') && !shown.has(rule))).toEqual([]);
  });
});
