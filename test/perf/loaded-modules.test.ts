import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { loadsOf } from './loads.js';

let redis: RedisServer;
let folder: TempDir;

beforeAll(async () => {
  redis = await startRedis();
  folder = await makeTempDir();
  const client = await redis.client();
  await client.set('mastra:topic:lease:k', 'run-1', 'PX', 60_000);
});

afterAll(async () => {
  await redis.stop();
  await folder.remove();
});

/** Modules of Node that take a start milliseconds. */
const SLOW =
  /^(tls|https?|crypto|child_process|dns|zlib|readline|perf_hooks|inspector|worker_threads|fs\/promises)$/;

describe('what a command loads', () => {
  it.each([
    ['owner', ['owner', 'k'], 0],
    ['owner --json', ['owner', 'k', '--json'], 0],
    ['list', ['list'], 0],
    ['acquire', ['acquire', 'a', '--owner', 'me', '--ttl', '20s'], 0],
    ['renew', ['renew', 'a', '--owner', 'me', '--ttl', '20s'], 0],
    ['transfer', ['transfer', 'a', '--from', 'me', '--to', 'you'], 0],
    ['release', ['release', 'a', '--owner', 'you'], 0],
  ] as const)('on Redis is two files and no package, for %s', async (_, args, exitCode) => {
    const loads = await loadsOf(args, { env: { MASTRA_LEASE_BACKEND: redis.url } });
    expect(loads).toMatchObject({ exitCode, files: ['main', 'redis'], packages: [] });
    expect(loads.builtins.filter((name) => SLOW.test(name))).toEqual([]);
  });

  it('on SQLite is two files and no package, none of them Redis', async () => {
    const env = { MASTRA_LEASE_BACKEND: `sqlite:${join(folder.path, 'leases.db')}` };
    await loadsOf(['acquire', 'k', '--owner', 'me'], { env });
    const loads = await loadsOf(['owner', 'k'], { env });
    expect(loads).toMatchObject({ exitCode: 0, files: ['main', 'sqlite'], packages: [] });
    expect(loads.builtins.filter((name) => SLOW.test(name))).toEqual([]);
  });

  it.each([[['--help']], [['owner', '--help']], [['help', 'watch']]])(
    'is nothing at all for %j: the build has written it down',
    async (args) => {
      expect(await loadsOf(args)).toMatchObject({ exitCode: 0, files: [], packages: [] });
    },
  );

  it.each([[['nope']], [['owner']], [['owner', 'k', '--nope']]])(
    'is one file and no package when %j is refused',
    async (args) => {
      expect(await loadsOf(args)).toMatchObject({ exitCode: 2, files: ['main'], packages: [] });
    },
  );

  it.each([
    ['watch', ['watch'], { endsAfter: /k/ }],
    ['check', ['check'], {}],
    ['inspect', ['inspect', 'k'], {}],
    ['wait', ['wait', 'k', '--until', 'held'], {}],
    ['exec', ['exec', 'e', '--owner', 'me', '--', process.execPath, '-e', '0'], {}],
  ] as const)('is no package for %s, where the answer goes into a pipe', async (_, args, options) => {
    const { packages } = await loadsOf(args, { env: { MASTRA_LEASE_BACKEND: redis.url }, ...options });
    expect(packages).toEqual([]);
  });

  it('has no compiler in it for a config of JSON, and no schema without a config', async () => {
    const config = join(folder.path, 'mastra-lease.config.json');
    await writeFile(config, JSON.stringify({ backend: redis.url }));
    const configured = await loadsOf(['owner', 'k', '--config', config]);
    expect(configured).toMatchObject({
      exitCode: 0,
      packages: expect.not.arrayContaining(['jiti', 'ink', 'react']),
    });
    const named = await loadsOf(['owner', 'k', '--backend', redis.url], { cwd: folder.path });
    expect(named).toMatchObject({ exitCode: 0, packages: [] });
  });

  it('has neither screen nor schema in it for a module', async () => {
    const loads = await loadsOf([
      'owner',
      'k',
      '--backend',
      join(import.meta.dirname, '../fixtures/class/leases.ts'),
    ]);
    expect(loads.packages).toEqual(expect.arrayContaining(['jiti']));
    for (const heavy of ['ink', 'react', 'zod']) expect(loads.packages).not.toContain(heavy);
  });
});
