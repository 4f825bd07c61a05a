import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
/** What is in a clone and in no commit. */
const NOT_OURS = ['.git', 'node_modules', 'dist', 'dist-one-file', 'coverage'];

/** The paths that the tree of ARCHITECTURE.md names; a folder's end with a slash. */
function namedPaths(): readonly string[] {
  const page = readFileSync(`${REPOSITORY}ARCHITECTURE.md`, 'utf8');
  const [, tree = ''] = /^```\n(.*?)^```/ms.exec(page) ?? [];
  const paths: string[] = [];
  const above: string[] = [];
  for (const line of tree.split('\n')) {
    const [named, indent = '', name, about = ''] = /^( {0,4})([^\s]+)( .*)?$/.exec(line) ?? [];
    const words = named === undefined ? line : about;
    if (name !== undefined) {
      above.length = indent.length / 2;
      above.push(name);
      paths.push(above.join(''));
    }
    const folder = above.join('');
    for (const [, inner] of words.matchAll(
      /(?<![\w/.-])((?:[\w-]+\/)|(?:[\w.-]+\.(?:ts|js|json)))(?![\w/])/g,
    ))
      paths.push(`${folder}${inner}`);
  }
  return paths;
}

function foldersIn(path: string): readonly string[] {
  return readdirSync(join(REPOSITORY, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_OURS.includes(entry.name))
    .map(({ name }) => `${path}${name}/`);
}

test('everything that the tree of ARCHITECTURE.md names is there', () => {
  const paths = namedPaths();
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
});

test('every folder, those of src two levels down, is in the tree of ARCHITECTURE.md', () => {
  const folders = [
    ...foldersIn(''),
    ...foldersIn('test/'),
    ...foldersIn('src/'),
    ...foldersIn('src/').flatMap(foldersIn),
  ];
  const named = namedPaths();
  expect(folders.filter((folder) => !named.includes(folder))).toEqual([]);
});
