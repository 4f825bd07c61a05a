import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { runCli } from '../support/run-cli.js';
import type { TempDir } from '../support/temp-dir.js';
import { REPOSITORY } from './blocks.js';
import { compileExamples, makeUsersPackage, writeExample } from './examples.js';
import { codeBlocks, publicSymbols } from './public-symbols.js';

/** The pages whose every block of TypeScript is a program. */
const PAGES = ['README.md', 'docs/exit-codes-and-json.md', 'docs/writing-a-backend.md'];

vi.setConfig({ testTimeout: 60_000 });

const SYMBOLS = publicSymbols();
const EXAMPLES = [
  ...SYMBOLS.flatMap(({ name, examples }) => examples.map((code) => ({ name, code }))),
  ...PAGES.flatMap((page) =>
    codeBlocks(readFileSync(`${REPOSITORY}${page}`, 'utf8')).map((code, index) => ({
      name: `${basename(page)}-${index + 1}`,
      code,
    })),
  ),
];

let redis: RedisServer;
let folder: TempDir;
const files = new Map<string, string>();

beforeAll(async () => {
  [redis, folder] = await Promise.all([startRedis(), makeUsersPackage()]);
  for (const { name, code } of EXAMPLES)
    files.set(name, await writeExample(folder.path, name, code, redis.url));
});
afterAll(() => Promise.all([redis.stop(), folder.remove()]));

test('every public symbol has a doc comment', () => {
  expect(SYMBOLS.filter(({ documentation }) => documentation === '').map(nameOf)).toEqual([]);
});

test('every public function and class has an example, an error that of LeaseError', () => {
  const bare = SYMBOLS.filter(
    ({ kind, examples, bases }) =>
      ['function', 'class'].includes(kind) && examples.length === 0 && !bases.includes('LeaseError'),
  );
  expect(bare.map(nameOf)).toEqual([]);
});

describe('the example of', () => {
  test('each of them compiles, for somebody who installed the package', async () => {
    expect(await compileExamples(folder.path)).toEqual([]);
  });

  test.each(EXAMPLES)('$name does what it says', async ({ name }) => {
    const client = await redis.client();
    await client.flushall();
    const command = [process.execPath, files.get(name) ?? ''] as const;
    const result = await runCli([], { command, cwd: folder.path, timeoutMs: 50_000 });
    expect(result, result.stdout).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

function nameOf({ entry, name }: { readonly entry: string; readonly name: string }): string {
  return `${entry}: ${name}`;
}
