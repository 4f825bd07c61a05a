import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkImports } from '../../../scripts/check-imports.js';
import { makeTempDir } from '../../support/temp-dir.js';

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Checks a package whose `src` holds these files, with the packages that are installed here. */
async function check(files: Record<string, string>) {
  await using directory = await makeTempDir();
  const manifest = {
    type: 'module',
    dependencies: { ioredis: '*', commander: '*', chalk: '*', 'cli-table3': '*', semver: '*' },
  };
  await write(
    directory.path,
    'package.json',
    JSON.stringify({ ...manifest, devDependencies: { vitest: '*' } }),
  );
  await symlink(NODE_MODULES, join(directory.path, 'node_modules'));
  for (const [file, text] of Object.entries(files)) await write(directory.path, file, text);
  return checkImports(directory.path);
}

async function write(root: string, file: string, text: string) {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), text);
}

/** A package in which every import goes the right way. */
const SOUND = {
  'src/index.ts': `export { lease } from './lease/lease.js';`,
  'src/lease/lease.ts': `import { key } from './key.js'; export const lease = key; export type Lease = string;`,
  'src/lease/key.ts': `export const key = '';`,
  'src/providers/memory.ts': `import { lease } from '../lease/lease.js'; export const memory = lease;`,
  'src/providers/redis/index.ts': `import { client } from './client.js'; export const redis = client;`,
  'src/providers/redis/client.ts': `import { Redis } from 'ioredis'; export const client = Redis;`,
  'src/providers/sqlite/index.ts': `import { DatabaseSync } from 'node:sqlite'; export const sqlite = DatabaseSync;`,
  'src/backend/open.ts': `import { lease } from '../lease/lease.js'; import { memory } from '../providers/memory.js';
    import type { redis } from '../providers/redis/index.js';
    export const open = async () => [lease, memory, (await import('../providers/redis/index.js')).redis, await import('../providers/sqlite/index.js')];
    export type Redis = typeof redis;`,
  'src/operations/owner.ts': `import { lease } from '../lease/lease.js'; export const owner = lease; export type Owner = string;`,
  'src/output/text.ts': `import chalk from 'chalk'; import { lease } from '../lease/lease.js'; import type { Owner } from '../operations/owner.js';
    export const text = (owner: Owner) => chalk.red(owner + lease);`,
  'src/conformance/suite.ts': `import { lease } from '../lease/lease.js'; export const suite = lease;`,
  'src/tui/app.ts': `import { lease } from '../lease/lease.js'; import { owner } from '../operations/owner.js'; import { text } from '../output/text.js';
    export const app = [lease, owner, text];`,
  'src/cli/main.ts': `import { Command } from 'commander'; import { open } from '../backend/open.js'; import { owner } from '../operations/owner.js';
    import { text } from '../output/text.js'; import { lease } from '../lease/lease.js'; import { suite } from '../conformance/suite.js';
    export const main = async () => [Command, open, owner, text, lease, suite, (await import('../tui/app.js')).app];`,
};

describe('the check of imports', () => {
  it('has nothing against imports that go the right way', async () => {
    const { problems, files, imports } = await check(SOUND);
    expect(problems).toEqual([]);
    expect(files).toBeGreaterThanOrEqual(Object.keys(SOUND).length);
    expect(imports).toBeGreaterThan(Object.keys(SOUND).length);
  });

  it.each<[file: keyof typeof SOUND, line: string, problem: string]>([
    [
      'src/lease/key.ts',
      `import '../providers/memory.js';`,
      'lease-directions: src/lease/key.ts → src/providers/memory.ts',
    ],
    [
      'src/lease/key.ts',
      `import type {} from '../operations/owner.js';`,
      'lease-directions: src/lease/key.ts → src/operations/owner.ts',
    ],
    [
      'src/lease/key.ts',
      `void import('../cli/main.js');`,
      'lease-directions: src/lease/key.ts → src/cli/main.ts',
    ],
    ['src/lease/key.ts', `export * from '../index.js';`, 'lease-directions: src/lease/key.ts → src/index.ts'],
    [
      'src/providers/memory.ts',
      `import './redis/client.js';`,
      'providers-directions: src/providers/memory.ts → src/providers/redis/client.ts',
    ],
    [
      'src/providers/redis/client.ts',
      `import '../memory.js';`,
      'providers-directions: src/providers/redis/client.ts → src/providers/memory.ts',
    ],
    [
      'src/providers/redis/client.ts',
      `import '../sqlite/index.js';`,
      'providers-directions: src/providers/redis/client.ts → src/providers/sqlite/index.ts',
    ],
    [
      'src/providers/memory.ts',
      `import '../output/text.js';`,
      'providers-directions: src/providers/memory.ts → src/output/text.ts',
    ],
    [
      'src/backend/open.ts',
      `import '../operations/owner.js';`,
      'backend-directions: src/backend/open.ts → src/operations/owner.ts',
    ],
    [
      'src/operations/owner.ts',
      `import '../backend/open.js';`,
      'operations-directions: src/operations/owner.ts → src/backend/open.ts',
    ],
    [
      'src/operations/owner.ts',
      `import '../providers/memory.js';`,
      'operations-directions: src/operations/owner.ts → src/providers/memory.ts',
    ],
    [
      'src/output/text.ts',
      `import { owner } from '../operations/owner.js';`,
      'output-takes-types: src/output/text.ts → src/operations/owner.ts',
    ],
    [
      'src/output/text.ts',
      `import type { open } from '../backend/open.js';`,
      'output-directions: src/output/text.ts → src/backend/open.ts',
    ],
    [
      'src/conformance/suite.ts',
      `import '../operations/owner.js';`,
      'conformance-directions: src/conformance/suite.ts → src/operations/owner.ts',
    ],
    [
      'src/tui/app.ts',
      `import '../backend/open.js';`,
      'tui-directions: src/tui/app.ts → src/backend/open.ts',
    ],
    [
      'src/index.ts',
      `export { text } from './output/text.js';`,
      'library-directions: src/index.ts → src/output/text.ts',
    ],
    ['src/cli/main.ts', `import '../tui/app.js';`, 'loaded-on-demand: src/cli/main.ts → src/tui/app.ts'],
    [
      'src/cli/main.ts',
      `import '../providers/redis/client.js';`,
      'loaded-on-demand: src/cli/main.ts → src/providers/redis/client.ts',
    ],
    [
      'src/backend/open.ts',
      `import '../providers/sqlite/index.js';`,
      'loaded-on-demand: src/backend/open.ts → src/providers/sqlite/index.ts',
    ],
    [
      'src/index.ts',
      `export * from './providers/redis/index.js';`,
      'loaded-on-demand: src/index.ts → src/providers/redis/index.ts',
    ],
    ['src/lease/key.ts', `import './lease.js';`, 'no-cycles: src/lease/key.ts → src/lease/lease.ts'],
    [
      'src/lease/key.ts',
      `import type { Lease } from './lease.js';`,
      'no-cycles: src/lease/key.ts → src/lease/lease.ts',
    ],
    ['src/lease/key.ts', `import './gone.js';`, 'resolvable: src/lease/key.ts → ./gone.js'],
    ['src/lease/key.ts', `import 'vitest';`, 'real-dependencies: src/lease/key.ts → '],
    ['src/lease/key.ts', `import type {} from 'vitest';`, 'real-dependencies: src/lease/key.ts → '],
    ['src/lease/key.ts', `import 'execa';`, 'real-dependencies: src/lease/key.ts → '],
    ['src/cli/main.ts', `import 'semver';`, 'known-packages: src/cli/main.ts → '],
    ['src/backend/open.ts', `import 'ioredis';`, 'only-in:providers/redis: src/backend/open.ts → '],
    [
      'src/providers/memory.ts',
      `import 'node:sqlite';`,
      'only-in:providers/sqlite: src/providers/memory.ts → ',
    ],
    ['src/cli/main.ts', `void import('jiti');`, 'only-in:backend: src/cli/main.ts → '],
    ['src/lease/key.ts', `import 'zod/v4';`, 'only-in:backend: src/lease/key.ts → '],
    ['src/operations/owner.ts', `import 'commander';`, 'only-in:cli: src/operations/owner.ts → '],
    ['src/operations/owner.ts', `import '@inquirer/confirm';`, 'only-in:cli: src/operations/owner.ts → '],
    ['src/tui/app.ts', `import 'chalk';`, 'only-in:output|cli: src/tui/app.ts → '],
    ['src/output/text.ts', `import 'ink';`, 'only-in:tui: src/output/text.ts → '],
    ['src/output/text.ts', `import 'react/jsx-runtime';`, 'only-in:tui: src/output/text.ts → '],
    ['src/backend/open.ts', `import 'zod';`, 'starts-light: src/cli/main.ts → '],
    ['src/cli/main.ts', `import '@inquirer/confirm';`, 'starts-light: src/cli/main.ts → '],
  ])('says so when %s has %s', async (file, line, problem) => {
    const { problems } = await check({ ...SOUND, [file]: `${SOUND[file]}\n${line}` });
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });

  it.each([
    [
      'a file that nothing uses and that uses nothing',
      'src/lease/alone.ts',
      'export {}',
      'no-orphans: src/lease/alone.ts',
    ],
    [
      'a folder without directions',
      'src/helpers/x.ts',
      `import '../lease/key.js';`,
      'known-folders: src/helpers/x.ts',
    ],
    [
      'an import from a folder without directions',
      'src/cli/x.ts',
      `import '../helpers/y.js';`,
      'known-folders: src/cli/x.ts → src/helpers/y.ts',
    ],
    [
      'an import of a test',
      'src/lease/uses-test.ts',
      `import '../../test/x.js';`,
      'src-stands-alone: src/lease/uses-test.ts → test/x.ts',
    ],
    [
      'an import of a script',
      'src/lease/uses-script.ts',
      `import '../../scripts/x.js';`,
      'src-stands-alone: src/lease/uses-script.ts → scripts/x.js',
    ],
  ])('says so at %s', async (_, file, text, problem) => {
    const { problems } = await check({
      ...SOUND,
      'test/x.ts': '',
      'scripts/x.js': '',
      'src/helpers/y.ts': '',
      [file]: text,
    });
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });

  it('names a source that it could not look at', async () => {
    const { problems } = await check({
      ...SOUND,
      'src/lease/types.d.ts': 'export {}',
      'src/lease/broken.tsx': '<<<',
    });
    expect(problems.join('\n')).toMatch(/src\/lease\/(types\.d\.ts|broken\.tsx)/);
  });

  it('does not pass where there is nothing to look at', async () => {
    const { problems } = await check({ 'src/README.md': 'no sources' });
    expect(problems).toEqual(['no import was looked at']);
  });
});
