import { chmod, lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { privateCacheFolder } from '../../../src/cli/compile-cache.js';
import { makeTempDir } from '../../support/temp-dir.js';

const uid = process.geteuid?.();

/** A home of our own, as `$HOME` and as its path. */
async function makeHome() {
  const home = await makeTempDir();
  return Object.assign(home, { env: { HOME: home.path }, cache: join(home.path, '.cache') });
}

async function permissions(path: string): Promise<string> {
  return ((await lstat(path)).mode & 0o777).toString(8);
}

describe('the folder for compiled code', () => {
  it('is made in the home’s cache folder, for nobody but its user', async () => {
    await using home = await makeHome();
    const folder = join(home.cache, 'mastra-lease', 'compile-cache');
    expect(privateCacheFolder({ env: home.env, uid })).toBe(folder);
    expect(await permissions(home.cache)).toBe('700');
    expect(await permissions(join(home.cache, 'mastra-lease'))).toBe('700');
    expect(await permissions(folder)).toBe('700');
    expect(privateCacheFolder({ env: home.env, uid })).toBe(folder);
  });

  it('is made in XDG_CACHE_HOME where that is set', async () => {
    await using home = await makeHome();
    await using xdg = await makeTempDir();
    const env = { ...home.env, XDG_CACHE_HOME: join(xdg.path, 'cache') };
    expect(privateCacheFolder({ env, uid })).toBe(join(xdg.path, 'cache', 'mastra-lease', 'compile-cache'));
    expect(await readdir(home.path)).toEqual([]);
  });

  it('may be reached through a cache folder that is a link to another disk', async () => {
    await using home = await makeHome();
    await using disk = await makeTempDir();
    await symlink(disk.path, home.cache);
    expect(privateCacheFolder({ env: home.env, uid })).toBe(
      join(home.cache, 'mastra-lease', 'compile-cache'),
    );
  });

  it.each([
    ['no HOME', {}],
    ['an empty HOME', { HOME: '' }],
    ['a HOME that is not absolute', { HOME: 'home' }],
    ['a HOME that does not exist', { HOME: '/nonexistent/home' }],
    ['a HOME that is a file', { HOME: '/dev/null' }],
    ['a HOME that takes no folders', { HOME: '/proc' }],
  ])('is none with %s', (_, env) => {
    expect(privateCacheFolder({ env, uid })).toBeUndefined();
  });

  it('is none where the system has no user ids', async () => {
    await using home = await makeHome();
    expect(privateCacheFolder({ env: home.env, uid: undefined })).toBeUndefined();
    expect(await readdir(home.path)).toEqual([]);
  });

  it('is none, and nothing is made, in the home of another user', async () => {
    await using home = await makeHome();
    const other = (uid ?? 0) + 1;
    expect(privateCacheFolder({ env: home.env, uid: other })).toBeUndefined();
    expect(await readdir(home.path)).toEqual([]);
    await mkdir(home.cache, { mode: 0o700 });
    expect(privateCacheFolder({ env: home.env, uid: other })).toBeUndefined();
    expect(await readdir(home.cache)).toEqual([]);
  });

  it.each([0o720, 0o702, 0o777])('is none in a cache folder that others can write to (%o)', async (mode) => {
    await using home = await makeHome();
    await mkdir(home.cache);
    await chmod(home.cache, mode);
    expect(privateCacheFolder({ env: home.env, uid })).toBeUndefined();
    expect(await readdir(home.cache)).toEqual([]);
  });

  it.each(['mastra-lease', 'mastra-lease/compile-cache'])('is none where %s is not private', async (name) => {
    await using home = await makeHome();
    await mkdir(join(home.cache, name), { recursive: true, mode: 0o700 });
    await chmod(join(home.cache, name), 0o750);
    expect(privateCacheFolder({ env: home.env, uid })).toBeUndefined();
  });

  it.each(['mastra-lease', 'mastra-lease/compile-cache'])('is none where %s is a link', async (name) => {
    await using home = await makeHome();
    await using elsewhere = await makeTempDir();
    const link = join(home.cache, name);
    await mkdir(join(link, '..'), { recursive: true, mode: 0o700 });
    await symlink(elsewhere.path, link);
    expect(privateCacheFolder({ env: home.env, uid })).toBeUndefined();
    expect(await readdir(elsewhere.path)).toEqual([]);
  });

  it('is none where a file is in its way', async () => {
    await using home = await makeHome();
    await mkdir(home.cache, { mode: 0o700 });
    await writeFile(join(home.cache, 'mastra-lease'), '');
    expect(privateCacheFolder({ env: home.env, uid })).toBeUndefined();
  });
});
