import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makePackage } from '../cli/application-folder.js';
import { expectRefusal } from '../cli/expect-refusal.js';
import { lease } from '../cli/lease-cli.js';
import { openRedisSite, type RedisSite } from '../cli/lease-site.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

let directory: TempDir;

beforeEach(async () => {
  directory = await makeTempDir();
  return () => directory.remove();
});

describe('a directory that everybody can write to', () => {
  const acquire = (backend: string) => lease(['acquire', 'deploy', '--owner', 'run-1'], { backend });
  const owner = (backend: string) => lease(['owner', 'deploy'], { backend });

  async function makeDirectory(name: string, mode: number): Promise<string> {
    const path = join(directory.path, name);
    await mkdir(path);
    await chmod(path, mode);
    return path;
  }

  test('is refused for a lease database, and nothing is made in it', async () => {
    const shared = await makeDirectory('shared', 0o777);
    const backend = `sqlite:${join(shared, 'leases.db')}`;
    expectRefusal(
      await acquire(backend),
      /only owners can replace files at \S+shared, got one that everybody can write to .*chmod o-w/,
    );
    expect(await readdir(shared)).toEqual([]);
  });

  test('is refused where the database is there already, for reading too, and the database is left alone', async () => {
    const shared = await makeDirectory('shared', 0o700);
    const backend = `sqlite:${join(shared, 'leases.db')}`;
    expect(await acquire(backend)).toMatchObject({ exitCode: 0 });
    const before = await readFile(join(shared, 'leases.db'));
    await chmod(shared, 0o777);
    for (const result of [await owner(backend), await acquire(backend)]) {
      expectRefusal(result, 'everybody can write to');
    }
    expect(await readFile(join(shared, 'leases.db'))).toEqual(before);
  });

  test('is as good as any other with the sticky bit, and so is a directory below it', async () => {
    const sticky = await makeDirectory('sticky', 0o1777);
    await makeDirectory('shared', 0o777);
    const own = await makeDirectory('shared/own', 0o700);
    for (const path of [join(sticky, 'leases.db'), join(own, 'leases.db')]) {
      expect(await acquire(`sqlite:${path}`)).toMatchObject({ exitCode: 0 });
      expect(await owner(`sqlite:${path}`)).toMatchObject({ exitCode: 0, stdout: 'run-1\n' });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
  });
});

describe('where everybody may put files', () => {
  const MODULE = `
    enum Kind { Redis = 'redis' }
    import { RedisLeaseProvider } from 'mastra-lease/redis';
    export const leases = new RedisLeaseProvider({ url: process.env.LEASES_URL, timeoutMs: Kind.Redis.length * 1000 });
  `;
  let site: RedisSite;

  beforeAll(async () => {
    site = await openRedisSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test.each([
    ['with a home', (home: string) => ({ HOME: home })],
    ['with none', () => ({ HOME: undefined })],
  ])('nothing is made, %s: neither by a command, nor by a module that has to be compiled', async (_, env) => {
    await using project = await makePackage({
      'leases.ts': MODULE,
      'mastra-lease.config.ts': "export default { contexts: { prod: { backend: './leases.ts#leases' } } };",
    });
    const [shared, home] = [join(directory.path, 'tmp'), join(directory.path, 'home')];
    await mkdir(shared);
    await mkdir(home);
    await site.hold('deploy', 'run-1');
    for (const args of [
      ['--backend', site.name],
      ['--backend', './leases.ts#leases'],
      ['--context', 'prod'],
    ]) {
      const result = await lease(['owner', 'deploy', ...args], {
        cwd: project.path,
        env: { TMPDIR: shared, LEASES_URL: site.name, NODE_COMPILE_CACHE: undefined, ...env(home) },
      });
      expect(result).toMatchObject({ exitCode: 0, stdout: 'run-1\n' });
    }
    expect(await readdir(shared)).toEqual([]);
    expect((await readdir(project.path)).sort()).toEqual([
      'leases.ts',
      'mastra-lease.config.ts',
      'node_modules',
      'package.json',
    ]);
    expect(await readdir(join(project.path, 'node_modules'))).toEqual(['mastra-lease']);
  });
});
