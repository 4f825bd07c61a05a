import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMastraEntry, mastraEntryOf } from '../../../../src/backend/module/mastra-project.js';
import { makeTempDir } from '../../../support/temp-dir.js';
import { fixture } from './load-task.js';

async function makeTree(...files: readonly string[]) {
  const tree = await makeTempDir();
  for (const file of files) {
    await mkdir(dirname(join(tree.path, file)), { recursive: true });
    await writeFile(join(tree.path, file), '');
  }
  return tree;
}

describe('the Mastra project of a folder', () => {
  it('is found from there up to the package root', () => {
    const root = fixture('mastra-project');
    const found = { entry: join(root, 'src/mastra/index.ts'), root };
    for (const folder of ['', 'src', 'src/mastra', 'src/mastra/agents']) {
      expect(findMastraEntry(join(root, folder))).toEqual(found);
    }
  });

  it('is the nearest, and a package of its own ends the search', async () => {
    await using tree = await makeTree(
      'package.json',
      'src/mastra/index.ts',
      'apps/inner/src/mastra/index.js',
      'apps/inner/lib/x',
      'packages/other/package.json',
      'packages/other/lib/x',
    );
    const { path: root } = tree;
    expect(findMastraEntry(join(root, 'apps/inner/lib'))).toEqual({
      entry: join(root, 'apps/inner/src/mastra/index.js'),
      root,
    });
    expect(findMastraEntry(join(root, 'apps'))?.entry).toBe(join(root, 'src/mastra/index.ts'));
    expect(findMastraEntry(join(root, 'packages/other/lib'))).toBeUndefined();
  });

  it('has its entry by Mastra’s order of names, and a folder is none', async () => {
    const names = ['index.ts', 'index.mts', 'index.js', 'index.mjs'];
    await using tree = await makeTree(
      'package.json',
      'src/mastra/index.ts/x',
      ...names.slice(1).map((name) => `src/mastra/${name}`),
    );
    expect(findMastraEntry(tree.path)?.entry).toBe(join(tree.path, 'src/mastra/index.mts'));
    await using last = await makeTree('package.json', 'src/mastra/index.mjs', 'src/mastra/index.cjs');
    expect(findMastraEntry(last.path)?.entry).toBe(join(last.path, 'src/mastra/index.mjs'));
  });

  it('is none outside of a package', async () => {
    await using tree = await makeTree('src/mastra/index.ts');
    expect(findMastraEntry(tree.path)).toBeUndefined();
  });

  it('is none where every user may put one', async () => {
    await using tree = await makeTree('package.json', 'src/mastra/index.ts', 'mine/x');
    expect(findMastraEntry(join(tree.path, 'mine'))).toBeDefined();
    await chmod(tree.path, 0o1777);
    expect(findMastraEntry(join(tree.path, 'mine'))).toBeUndefined();
    expect(findMastraEntry(tree.path)).toBeUndefined();
  });
});

describe('the Mastra project that a folder is', () => {
  it('is the folder, or the one whose src/mastra it is', () => {
    const root = fixture('mastra-project');
    const found = { entry: join(root, 'src/mastra/index.ts'), root };
    expect(mastraEntryOf(root)).toEqual(found);
    expect(mastraEntryOf(join(root, 'src/mastra'))).toEqual(found);
    expect(mastraEntryOf(join(root, 'src'))).toBeUndefined();
    expect(mastraEntryOf(fixture('factory'))).toBeUndefined();
  });
});
