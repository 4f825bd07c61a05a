import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { fixture, type LoadResult, type LoadTask, load } from './load-task.js';

function loadFixture(path: string, task: Partial<LoadTask> = {}) {
  return load({ path: fixture(path), only: 'load', ...task });
}

/** A project of its own: names of files to their text. */
async function makeProject(files: Readonly<Record<string, string>>): Promise<TempDir> {
  const project = await makeTempDir();
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    const path = join(project.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return project;
}

/** One line, an error of configuration, and no stack that a user would see. */
function messageOf({ error }: LoadResult): string {
  expect(error?.code).toBe('ERR_LEASE_INVALID_CONFIG');
  expect(error?.message).not.toContain('\n');
  expect(error?.message).not.toMatch(/jiti|dist\/backend/);
  return error?.message ?? '';
}

describe('a module that loads', () => {
  it('may use what TypeScript has: enums, namespaces, parameter properties, casts, JSON, a top-level await', async () => {
    const { values } = await loadFixture('typescript/pubsub.ts');
    expect(values?.seen).toMatchObject({ regions: ['eu', 'us'], cast: 1 });
  });

  it('may have legacy decorators of classes, methods and parameters, without Reflect.metadata', async () => {
    const { values } = await loadFixture('typescript/pubsub.ts');
    expect(values?.seen).toMatchObject({ where: 'EU-A', isRegistered: true, injected: [0] });
  });

  it('may hold JSX', async () => {
    expect((await loadFixture('typescript/greeting.tsx')).values).toEqual({ greeting: '<b>hello</b>' });
    await using project = await makeProject({
      'plain.jsx':
        '/** @jsxRuntime classic */\n/** @jsx h */\nconst h = (tag, _, text) => tag + text;\nexport const greeting = <b>hello</b>;',
    });
    const { values } = await load({ path: join(project.path, 'plain.jsx'), only: 'load' });
    expect(values).toEqual({ greeting: 'bhello' });
  });

  it('may import by aliases of an extended tsconfig, by .js for .ts, without an extension, and a folder', async () => {
    const { values } = await loadFixture('aliases/src/mastra/index.ts');
    expect(values?.pubsub).toEqual({ label: 'aliases eu a blue' });
  });

  it.each([
    ['module.exports as it is', 'commonjs/pubsub.js', ['default']],
    ['the fields of module.exports too', 'commonjs/leases.js', ['Leases', 'default']],
    ['what was compiled from ESM', 'commonjs/compiled.js', ['default', 'region']],
    ['export = of TypeScript', 'commonjs/assigned.cts', ['default']],
  ])('may be CommonJS: %s', async (_, path, exports) => {
    expect((await loadFixture(path)).exports).toEqual(exports);
  });

  it('may have no export', async () => {
    expect((await loadFixture('nothing/empty.ts')).exports).toEqual([]);
  });

  it('may be plain JavaScript that imports TypeScript, and is run once', async () => {
    await using project = await makeProject({
      'index.ts': "export * from './plain.mjs';",
      'plain.mjs':
        "import { b } from './b';\nglobalThis.runs = (globalThis.runs ?? 0) + 1;\nexport const seen = [b, globalThis.runs];",
      'b.ts': 'export const b: string = "b";',
    });
    for (const name of ['index.ts', 'plain.mjs']) {
      const { values } = await load({ path: join(project.path, name), only: 'load' });
      expect(values).toEqual({ seen: ['b', 1] });
    }
  });

  it('may be ESM in a .js that no package.json calls a module, and is run once', async () => {
    await using project = await makeProject({
      'package.json': '{}',
      'index.ts': "export * from './plain.js';",
      'plain.js': 'globalThis.runs = (globalThis.runs ?? 0) + 1;\nexport const { runs } = globalThis;',
    });
    const { values } = await load({ path: join(project.path, 'index.ts'), only: 'load' });
    expect(values).toEqual({ runs: 1 });
  });

  it('prefers a .js that is there to the .ts of that name', async () => {
    await using project = await makeProject({
      'index.ts': "export { b } from './b.js'; export { c } from './c.js';",
      'b.js': 'export const b = "from js";',
      'b.ts': 'export const b: string = "from ts";',
      'c.ts': 'export const c: string = "from ts";',
    });
    const { values } = await load({ path: join(project.path, 'index.ts'), only: 'load' });
    expect(values).toEqual({ b: 'from js', c: 'from ts' });
  });

  it('may be reached through a link and lie in a folder with a strange name', async () => {
    await using project = await makeProject({
      'ä #%41 b/index.ts': "export { b } from './b.js';",
      'ä #%41 b/b.ts': 'export const b: string = "b";',
    });
    await symlink(join(project.path, 'ä #%41 b', 'index.ts'), join(project.path, 'link.ts'));
    const { values } = await load({ path: join(project.path, 'link.ts'), only: 'load' });
    expect(values).toEqual({ b: 'b' });
  });
});

describe('a module that cannot be compiled', () => {
  it.each([
    ['syntax-error/leases.ts', 'syntax-error/leases.ts:4:1: a syntax error: '],
    ['syntax-error/pubsub.ts', 'syntax-error/leases.ts:4:1: a syntax error: '],
    ['syntax-error/plain.mjs', 'syntax-error/plain.mjs:2:23: a syntax error: '],
    [
      'property-decorators/pubsub.ts',
      'property-decorators/settings.ts:4: decorators of properties cannot be loaded',
    ],
    [
      'parameter-decorators/pubsub.ts',
      'parameter-decorators/pubsub.ts:4: decorators of parameters with a default',
    ],
    [
      'standard-decorators/pubsub.ts',
      'standard-decorators/pubsub.ts:6: standard decorators cannot be loaded',
    ],
  ])('is named with its line: %s', async (path, message) => {
    expect(messageOf(await loadFixture(path))).toContain(fixture(message));
  });

  it('is told apart by the tsconfig that does not turn legacy decorators on', async () => {
    const message = messageOf(await loadFixture('standard-decorators/pubsub.ts'));
    expect(message).toContain(
      `${fixture('standard-decorators/tsconfig.json')} does not set experimentalDecorators`,
    );
  });

  it('is told with the tsconfig that cannot be used', async () => {
    await using project = await makeProject({
      'tsconfig.json': '{ "extends": "./gone.json" }',
      'index.ts': 'export const a: number = 1;',
    });
    const message = messageOf(await load({ path: join(project.path, 'index.ts'), only: 'load' }));
    expect(message).toContain(`${join(project.path, 'tsconfig.json')} cannot be used`);
    expect(message).toContain('gone.json');
  });
});

describe('an import that finds nothing', () => {
  it('is named with the file and the way from the module that was asked for', async () => {
    const result = await loadFixture('missing-import/pubsub.ts');
    expect(messageOf(result)).toBe(
      `${fixture('missing-import/pubsub.ts')} does not load: leases/store.ts imports "fixture-driver-that-is-not-installed", which is not there (by way of pubsub.ts → leases/index.ts → leases/store.ts)`,
    );
    expect(result.error?.remedy).toContain('npm ci');
  });

  it.each([
    ['missing-import/relative.ts', 'it imports "./lesses.js", which is not there'],
    ['missing-import/plain.mjs', 'it imports "./leases/none.mjs", which is not there'],
  ])('is named as it was written: %s', async (path, reason) => {
    expect(messageOf(await loadFixture(path))).toBe(`${fixture(path)} does not load: ${reason}`);
  });

  it('is named with the tsconfig that sends it nowhere', async () => {
    expect(messageOf(await loadFixture('missing-alias/pubsub.ts'))).toBe(
      `${fixture('missing-alias/pubsub.ts')} does not load: it imports "~/leases/store.js", which is not there; ${fixture('missing-alias/tsconfig.json')} sends it to ${fixture('missing-alias/src/leases/store')}`,
    );
    expect(messageOf(await loadFixture('missing-alias/unknown.ts'))).toContain(
      `"@/leases/store", which is not there; no path of ${fixture('missing-alias/tsconfig.json')} matches it`,
    );
  });

  it.each([
    [
      'without its extension',
      '{ "main": "src/index" }',
      'has the main "src/index" without its extension, which is .ts',
    ],
    ['not there', '{ "main": "dist/index.js" }', 'has the main "dist/index.js", which is not there'],
  ])('may be a package whose main is %s', async (_, manifest, reason) => {
    await using project = await makeProject({
      'index.ts': "export * from 'a-package';",
      'node_modules/a-package/package.json': manifest,
      'node_modules/a-package/src/index.ts': 'export const a: number = 1;',
    });
    const message = messageOf(await load({ path: join(project.path, 'index.ts'), only: 'load' }));
    expect(message).toContain('it imports "a-package", and ');
    expect(message).toContain(`${join(project.path, 'node_modules/a-package/package.json')} ${reason}`);
  });

  it('may be something that a package keeps to itself', async () => {
    await using project = await makeProject({
      'index.ts': "export * from 'a-package/inner';",
      'node_modules/a-package/package.json': '{ "exports": { ".": "./index.js" } }',
      'node_modules/a-package/index.js': '',
    });
    const message = messageOf(await load({ path: join(project.path, 'index.ts'), only: 'load' }));
    expect(message).toContain(
      "it imports what a package does not offer: Package subpath './inner' is not defined",
    );
  });
});

describe('a module that throws', () => {
  it('is told by the first line of its error and its own first place', async () => {
    expect(messageOf(await loadFixture('throws/pubsub.ts'))).toBe(
      `${fixture('throws/pubsub.ts')} does not load: FIXTURE_URL_THAT_NOBODY_SETS is required (at settings.ts:7)`,
    );
  });

  it.each(['throws/evaluated-once.mjs', 'throws/plain.mjs', 'throws/imports-plain.ts'])(
    'is run once, and no password of its message is told: %s',
    async (path) => {
      expect(messageOf(await loadFixture(path))).toBe(
        `${fixture(path)} does not load: evaluation 1 failed at redis://…@cache:6379 (at evaluated-once.mjs:2)`,
      );
    },
  );

  it.each([
    ["'a word'", 'it threw "a word"'],
    ['undefined', 'it threw undefined'],
    ['Object.assign(new Error("refused"), { code: "ERR_LEASE_CLOSED" })', 'refused (at index.ts:1)'],
    ['new RangeError("[\\n  1\\n]")', 'RangeError: [ 1 ] (at index.ts:1)'],
  ])('may throw anything: %s', async (thrown, reason) => {
    await using project = await makeProject({ 'index.ts': `throw ${thrown};` });
    expect(messageOf(await load({ path: join(project.path, 'index.ts'), only: 'load' }))).toContain(reason);
  });
});

it('a module that never settles is told at the deadline, with the file that waits', async () => {
  const result = await loadFixture('never-settles/pubsub.ts', { deadlineMs: 700 });
  expect(messageOf(result)).toBe(
    `${fixture('never-settles/pubsub.ts')} does not load: it was still waiting at its top level after 0.7 s, in ${fixture('never-settles/connection.ts')}`,
  );
});

it('a path that is no module is told as what it is', async () => {
  expect(messageOf(await loadFixture('throws'))).toBe(
    `Expected a module, got the folder ${fixture('throws')}`,
  );
  expect(messageOf(await loadFixture('nowhere.ts'))).toBe(`There is no module ${fixture('nowhere.ts')}`);
});

describe('what was compiled', () => {
  it('is kept in the folder that was given, and nowhere else', async () => {
    await using cache = await makeTempDir();
    await using temporary = await makeTempDir();
    const project = await makeProject({
      'node_modules/.keep': '',
      'index.ts': 'export const a: number = 1;',
    });
    await using _ = project;
    const env = { TMPDIR: temporary.path };
    const task: LoadTask = { path: join(project.path, 'index.ts'), only: 'load' };
    expect((await load(task, env)).values).toEqual({ a: 1 });
    expect(await readdir(temporary.path)).toEqual([]);
    expect(await readdir(join(project.path, 'node_modules'))).toEqual(['.keep']);

    for (let run = 1; run <= 2; run += 1) {
      expect((await load({ ...task, cacheDir: cache.path }, env)).values).toEqual({ a: 1 });
      const [folder = ''] = await readdir(cache.path);
      expect(await readdir(join(cache.path, folder))).toHaveLength(1);
    }
    expect(await readdir(temporary.path)).toEqual([]);
  });

  it('is not used once the source has changed', async () => {
    await using cache = await makeTempDir();
    await using project = await makeProject({ 'index.ts': 'export const a: number = 1;' });
    const task: LoadTask = { path: join(project.path, 'index.ts'), only: 'load', cacheDir: cache.path };
    await load(task);
    await writeFile(task.path, 'export const a: number = 2;');
    expect((await load(task)).values).toEqual({ a: 2 });
  });

  it('does without the folder where a file is in its way', async () => {
    await using project = await makeProject({ 'index.ts': 'export const a: number = 1;' });
    const cacheDir = join(project.path, 'package.json');
    const { values } = await load({ path: join(project.path, 'index.ts'), only: 'load', cacheDir });
    expect(values).toEqual({ a: 1 });
  });

  it('is not redirected, and nothing is printed, by variables of the compiler', async () => {
    await using temporary = await makeTempDir();
    await using project = await makeProject({ 'index.ts': 'export const a: number = 1;' });
    const { values, stdout, stderr } = await load(
      { path: join(project.path, 'index.ts'), only: 'load' },
      { TMPDIR: temporary.path, JITI_FS_CACHE: 'true', JITI_DEBUG: '1', JITI_ESM_EVAL_TEMP_FILE: 'true' },
    );
    expect(values).toEqual({ a: 1 });
    expect(stdout + stderr).toBe('');
    expect(await readdir(temporary.path)).toEqual([]);
  });
});
