import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfigs, searchConfigs } from '../../../../src/backend/config/find-config.js';
import { describeSearch, mayHaveConfig } from '../../../../src/backend/config/search-places.js';
import { failureOf, makeProject } from './project.js';

async function found(options: Parameters<typeof findConfigs>[0]) {
  const configs = await findConfigs(options);
  // The quick look that spares the search must never miss what the search finds.
  if (options.configPath === undefined && configs.length > 0)
    expect(mayHaveConfig(options.cwd, options)).toBe(true);
  return configs.map(({ config, path, origin }) => ({ backend: config.backend, path, origin }));
}

describe('a config of the project', () => {
  it.each([
    ['mastra-lease.config.mjs', 'export default { backend: "local" };'],
    ['mastra-lease.config.js', 'module.exports = { backend: "local" };'],
    ['mastra-lease.config.json', '\uFEFF{ "backend": "local" }'],
    ['package.json', '{ "name": "app", "mastra-lease": { "backend": "local" } }'],
  ])('is read from %s', async (file, content) => {
    await using project = await makeProject();
    const path = await project.write(`app/${file}`, content);
    expect(await found(project.options)).toEqual([{ backend: 'local', path, origin: 'project' }]);
  });

  it('is found from a folder inside, up to the package root and no further', async () => {
    await using project = await makeProject();
    await project.write('app/src/deep/file.txt', '');
    await project.write('mastra-lease.config.json', { backend: 'local' });
    const options = { ...project.options, cwd: join(project.app, 'src', 'deep') };
    expect(await found(options)).toEqual([]);
    const path = await project.write('app/mastra-lease.config.json', { backend: 'memory:' });
    expect(await found(options)).toEqual([{ backend: 'memory:', path, origin: 'project' }]);
  });

  it('nearest to the working directory wins, and in one folder the file before package.json', async () => {
    await using project = await makeProject({
      'app/package.json': { 'mastra-lease': { backend: 'memory:' } },
    });
    const upper = await project.write('app/mastra-lease.config.json', { backend: 'local' });
    expect(await found(project.options)).toMatchObject([{ path: upper }]);
    const lower = await project.write('app/src/mastra-lease.config.json', { backend: 'sqlite:x' });
    expect(await found({ ...project.options, cwd: join(project.app, 'src') })).toMatchObject([
      { path: lower },
    ]);
  });

  it.each([
    ['the root of a repository', '.git/HEAD'],
    ['nothing else: only the working directory itself', undefined],
  ])('where there is no package.json is bounded by %s', async (_, marker) => {
    await using project = await makeProject({});
    if (marker !== undefined) await project.write(`app/${marker}`, '');
    await project.write('mastra-lease.config.json', { backend: 'local' });
    await project.write('app/mastra-lease.config.json', { backend: 'local' });
    await mkdir(join(project.app, 'src'));
    const inside = await found({ ...project.options, cwd: join(project.app, 'src') });
    expect(inside).toHaveLength(marker === undefined ? 0 : 1);
    expect(await found(project.options)).toHaveLength(1);
  });

  it('is found up to the home directory, where nothing says what the project is', async () => {
    await using project = await makeProject({});
    const path = await project.write('home/mastra-lease.config.json', { backend: 'local' });
    await mkdir(join(project.home, 'notes'));
    const options = { ...project.options, cwd: join(project.home, 'notes') };
    expect(await found(options)).toMatchObject([{ path, origin: 'project' }]);
  });

  it('is not taken from a folder where anybody can leave one, nor from above it', async () => {
    await using project = await makeProject({});
    await project.write('app/package.json', {});
    await project.write('app/mastra-lease.config.mjs', 'throw new Error("must not run")');
    await mkdir(join(project.app, 'mine'));
    await chmod(project.app, 0o1777);
    expect(await found(project.options)).toEqual([]);
    expect(await found({ ...project.options, cwd: join(project.app, 'mine') })).toEqual([]);
    expect(describeSearch(project.app, project.options)).toContain(`${project.app} (not searched`);
  });

  it('that is not there is no config, and neither is a package.json without the field', async () => {
    await using project = await makeProject();
    expect(await found(project.options)).toEqual([]);
    for (const content of ['null', '[]', '5', '{ "mastra-lease": null }']) {
      await project.write('app/package.json', content);
      expect(await found(project.options)).toEqual([]);
    }
  });

  it('may be a link to a file, as a mounted ConfigMap is', async () => {
    await using project = await makeProject();
    await project.write('mounted/..data/config', '{ "backend": "local" }');
    await symlink(join(project.path, 'mounted/..data/config'), join(project.app, 'mastra-lease.config.json'));
    expect(await found(project.options)).toMatchObject([{ backend: 'local' }]);
  });
});

describe("the user's own config", () => {
  it.each(['config.json', 'mastra-lease.config.json'])('is %s in ~/.config/mastra-lease', async (file) => {
    await using project = await makeProject();
    const path = await project.write(`home/.config/mastra-lease/${file}`, { backend: 'local' });
    expect(await found(project.options)).toEqual([{ backend: 'local', path, origin: 'user' }]);
  });

  it('is in XDG_CONFIG_HOME where that names a folder', async () => {
    await using project = await makeProject();
    await project.write('home/.config/mastra-lease/config.json', { backend: 'memory:' });
    const path = await project.write('xdg/mastra-lease/config.mjs', 'export default { backend: "local" }');
    const env = { XDG_CONFIG_HOME: join(project.path, 'xdg') };
    expect(await found({ ...project.options, env })).toEqual([{ backend: 'local', path, origin: 'user' }]);
    const relative = { ...project.options, env: { XDG_CONFIG_HOME: '../xdg' } };
    expect(await found(relative)).toMatchObject([{ backend: 'memory:' }]);
  });

  it('is in APPDATA on Windows', async () => {
    await using project = await makeProject();
    const path = await project.write('roaming/mastra-lease/config.json', { backend: 'local' });
    const env = { APPDATA: join(project.path, 'roaming') };
    expect(await found({ ...project.options, env, platform: 'win32' })).toMatchObject([{ path }]);
  });

  it('comes after the project’s, and is not even run where only the first is asked for', async () => {
    await using project = await makeProject();
    const first = await project.write('app/mastra-lease.config.json', { backend: 'local' });
    await project.write('home/.config/mastra-lease/config.mjs', 'throw new Error("must not run")');
    const { value } = await searchConfigs(project.options).next();
    expect(value).toMatchObject({ path: first });
    const second = await project.write('home/.config/mastra-lease/config.json', { backend: 'memory:' });
    await project.write('home/.config/mastra-lease/config.mjs', 'export default { backend: "sqlite:x" }');
    expect(await found(project.options)).toMatchObject([
      { path: first, origin: 'project' },
      { origin: 'user', backend: 'sqlite:x' },
    ]);
    expect(second).toContain('.json');
  });

  it('is nowhere for a user without a home', async () => {
    await using project = await makeProject();
    expect(await found({ ...project.options, home: undefined })).toEqual([]);
  });
});

describe('--config', () => {
  it('is the only config that is read, relative to the working directory, whatever its name', async () => {
    await using project = await makeProject();
    await project.write('app/mastra-lease.config.mjs', 'throw new Error("must not run")');
    await project.write('home/.config/mastra-lease/config.mjs', 'throw new Error("must not run")');
    const path = await project.write('app/ops/leases.json', { backend: 'local' });
    for (const configPath of ['ops/leases.json', path]) {
      expect(await found({ ...project.options, configPath })).toEqual([
        { backend: 'local', path, origin: '--config' },
      ]);
    }
  });

  it('may be a package.json with the field', async () => {
    await using project = await makeProject();
    await project.write('other/package.json', { 'mastra-lease': { backend: 'local' } });
    const options = { ...project.options, configPath: '../other/package.json' };
    expect(await found(options)).toMatchObject([{ backend: 'local' }]);
    expect(await failureOf(findConfigs({ ...options, configPath: 'package.json' }))).toBe(
      `${project.app}/package.json: mastra-lease: expected a config, got nothing`,
    );
  });

  it.each([
    ['nope.json', 'There is no config at APP/nope.json'],
    ['', 'Expected a file of .ts, .mts, .js, .mjs, .json after --config, got nothing'],
    ['leases.yaml', 'Expected a file of .ts, .mts, .js, .mjs, .json after --config, got APP/leases.yaml'],
    ['folder.json', 'APP/folder.json: expected a config file, got something else of that name'],
    ['package.json/x.json', 'APP/package.json/x.json: cannot be read (ENOTDIR)'],
    ['empty.json', 'APP/empty.json: expected a config, got an empty file'],
  ])('%j is refused in one line', async (configPath, expected) => {
    await using project = await makeProject();
    await mkdir(join(project.app, 'folder.json'));
    await project.write('app/empty.json', ' \n');
    const message = await failureOf(findConfigs({ ...project.options, configPath }));
    expect(message.replaceAll(project.app, 'APP')).toBe(expected);
  });
});

describe('a config that cannot be used', () => {
  it.each([
    ['.json', '{\n  "backend": "redis://:s3cr3t@cache"\n  "readOnly": true\n}', 'line 3, column 3: not JSON'],
    ['.json', '', 'expected a config, got an empty file'],
    ['.json', '[]', 'expected an object with a backend or contexts, got an array'],
    [
      '.json',
      '{ "password": 7 }',
      'password: expected a string that is not empty, or a function, got a number',
    ],
    [
      '.mjs',
      'export const backend = "local", links = {};',
      'expected a config as its default export, got only backend, links',
    ],
    ['.mjs', 'export {};', 'expected a config as its default export, got no export'],
    ['.mjs', 'export default () => ({});', 'expected an object with a backend or contexts, got a function'],
    ['.mjs', 'export default Promise.resolve({});', 'expected a config as its default export, got a promise'],
    ['.mjs', 'export default null;', 'expected an object with a backend or contexts, got null'],
    [
      '.mjs',
      'throw new Error("no redis://ops:s3cr3t@cache\\nhere");',
      'it does not load: Error: no redis://…@cache',
    ],
    ['.mjs', 'throw undefined;', 'it does not load: undefined'],
  ])('is one line with its file and what is wrong: %s %j', async (extension, content, expected) => {
    await using project = await makeProject();
    const path = await project.write(`app/mastra-lease.config${extension}`, content);
    const message = await failureOf(findConfigs(project.options));
    expect(message).toContain(`${path}: ${expected}`);
    expect(message).not.toContain('s3cr3t');
  });

  it('because its module does not parse or imports what is not there, names the file', async () => {
    await using project = await makeProject();
    const path = await project.write('app/mastra-lease.config.mjs', 'export default {');
    expect(await failureOf(findConfigs(project.options))).toContain(`${path}: it does not load: `);
    const other = await project.write('app/other.mjs', 'import "./not-there.mjs"; export default {};');
    expect(await failureOf(findConfigs({ ...project.options, configPath: other }))).toContain(
      'not-there.mjs',
    );
  });

  it('because it is a folder, is named', async () => {
    await using project = await makeProject();
    const path = join(project.app, 'mastra-lease.config.mjs');
    await mkdir(path);
    expect(await failureOf(findConfigs(project.options))).toBe(
      `${path}: expected a config file, got something else of that name`,
    );
  });

  it('because package.json is not JSON, is named by file and line', async () => {
    await using project = await makeProject({ 'app/package.json': '{\n  "name": "app",\n}' });
    expect(await failureOf(findConfigs(project.options))).toContain(
      `${project.app}/package.json: line 3, column 1: not JSON`,
    );
  });

  it('because it may not be read, is named with the reason', async () => {
    await using project = await makeProject();
    const path = await project.write('app/mastra-lease.config.json', {});
    await found(project.options);
    for (const folder of [project.path, project.app]) await chmod(folder, 0o755);
    await chmod(path, 0);
    const message = await asNobody(() => failureOf(findConfigs(project.options)));
    expect(message).toBe(`${path}: cannot be read (EACCES)`);
  });

  it('because every user may write it, is not run; named by --config it is the user’s own choice', async () => {
    await using project = await makeProject();
    const path = await project.write('app/mastra-lease.config.mjs', 'export default { backend: "local" };');
    await chmod(path, 0o646);
    expect(await failureOf(findConfigs(project.options))).toBe(
      `${path}: every user of this host may write it, so it is not used — chmod o-w ${path}, or name it by --config`,
    );
    expect(await found({ ...project.options, configPath: path })).toMatchObject([{ backend: 'local' }]);
    expect(await found({ ...project.options, platform: 'win32' })).toMatchObject([{ backend: 'local' }]);
    await chmod(path, 0o664);
    expect(await found(project.options)).toMatchObject([{ backend: 'local' }]);
  });

  it('because every user may write the package.json that it is in, is not used; without the field that matters not', async () => {
    await using project = await makeProject();
    const path = join(project.app, 'package.json');
    await chmod(path, 0o666);
    expect(await found(project.options)).toEqual([]);
    await project.write('app/package.json', { 'mastra-lease': { backend: 'local' } });
    expect(await failureOf(findConfigs(project.options))).toContain('every user of this host may write it');
  });
});

/** Root may read everything: whatever runs these tests, this part runs as a user who may not. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
