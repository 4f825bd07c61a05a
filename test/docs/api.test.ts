import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { makeTempDir } from '../support/temp-dir.js';

const SCRIPT = fileURLToPath(new URL('../../scripts/api-docs.js', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/api', import.meta.url));

test('docs/api is what `npm run docs:api` writes, and small', async () => {
  await using folder = await makeTempDir();
  const command = [process.execPath, SCRIPT] as const;
  const { exitCode, stderr } = await runCli([folder.path], { command, timeoutMs: 110_000 });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const [written, kept] = [pagesOf(folder.path), pagesOf(DOCS)];
  expect(Object.keys(kept)).toEqual(Object.keys(written));
  for (const [name, text] of Object.entries(written)) expect(kept[name], name).toBe(text);
  expect(Object.values(kept).join('').length).toBeLessThan(150_000);
}, 120_000);

function pagesOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
