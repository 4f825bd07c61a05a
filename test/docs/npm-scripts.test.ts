import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
/** Files and folders that tell somebody, or a machine, to run a script. */
const TELLING = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  '.ci/run',
  '.github/workflows',
  'docs',
  'examples',
  'scripts',
];

test('every npm script that a page, a workflow or a script names is there', () => {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    read('package.json'),
  );
  const named = TELLING.flatMap(filesIn).flatMap((file) =>
    [...read(file).matchAll(/npm run ([\w:-]+\w)/g)].map(([, name = '']) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
});

function filesIn(path: string): readonly string[] {
  if (!/^(\.github|docs|examples|scripts)/.test(path)) return [path];
  return readdirSync(`${REPOSITORY}${path}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|yml|sh|js)$/.test(name))
    .map((name) => `${path}/${name}`);
}

function read(file: string): string {
  return readFileSync(`${REPOSITORY}${file}`, 'utf8');
}
