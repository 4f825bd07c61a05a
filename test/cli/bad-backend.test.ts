import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../support/temp-dir.js';
import { expectRefusal } from './expect-refusal.js';
import { lease } from './lease-cli.js';

const SECRET = 'hunter2-secret';
const ACQUIRE = ['acquire', 'deploy', '--owner', 'run-1'];

test.concurrent.each([
  [`redis://u:${SECRET}/x@127.0.0.1`, 'write # as %23'],
  [`redis://u:${SECRET}#x@127.0.0.1`, 'write # as %23'],
  [`redis://u:${SECRET}%x@127.0.0.1`, 'a % that begins no escape'],
  [`redis://u:${SECRET}@127.0.0.1:99999`, 'host and port'],
  [`redis://u:${SECRET}@127.0.0.1/zero`, 'Expected a database number'],
  [`redis://u:${SECRET}@h1,h2`, 'Several hosts are a cluster or Sentinels'],
  [`redis+sentinel://u:${SECRET}@h1`, 'Expected the name of the primary'],
  [`redis+cluster://u:${SECRET}@h1/3`, 'A Redis Cluster has only database 0'],
  [`postgres://u:${SECRET}@127.0.0.1`, 'got the scheme postgres:'],
  [`u:${SECRET}@127.0.0.1`, 'Expected a backend as redis://'],
  ['', 'got nothing'],
  ['sqlite:', 'Expected a path after sqlite:'],
])('a backend %s is refused with 2 without its password, in text and in JSON', async (backend, message) => {
  for (const args of [[], ['--json']]) {
    const result = await lease(['owner', 'deploy', '--backend', backend, ...args]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/^error [^\n]+\n$/);
    expect(result.stderr).toContain(message);
    expect(result.stdout + result.stderr).not.toContain(SECRET);
  }
});

test.concurrent.each([
  [['owner', 'k', `--bakend=redis://u:${SECRET}@h`]],
  [[`--backend=redis://u:${SECRET}@h`, 'owner', 'k']],
  [[`redis://u:${SECRET}@h`, 'owner', 'k']],
  [['acquire', 'k', `redis://u:${SECRET}/x@h`]],
  [['owner', 'k', `--password=${SECRET}`]],
  [['acquire', 'k', `redis+sentinel://h/m?sentinelPassword=${SECRET}`]],
])('a backend or a password in the wrong place is told to nobody: %j', async (args) => {
  const result = await lease([...args, '--json']);
  expect(result.exitCode).toBe(2);
  expect(result.stdout + result.stderr).not.toContain(SECRET);
});

test('a flag for Redis is refused on SQLite, and makes no file', async () => {
  await using directory = await makeTempDir();
  const path = join(directory.path, 'leases.db');
  for (const flag of [['--key-prefix', 'x'], ['--username', 'x'], ['--tls-insecure']]) {
    const result = await lease([...ACQUIRE, ...flag], { backend: `sqlite:${path}` });
    expectRefusal(result, `${flag[0]} is for Redis, and the backend is sqlite:${path}`);
  }
  expect(existsSync(path)).toBe(false);
});

test('a mistyped sqlite:PATH and sqlite::memory: are refused with 2, and make neither folder nor file', async () => {
  await using directory = await makeTempDir();
  const run = (backend: string) => lease([...ACQUIRE, '--backend', backend], { cwd: directory.path });
  expectRefusal(
    await run('sqlite:vra/lib/leases.db'),
    `There is no folder ${directory.path}/vra/lib for the SQLite file`,
  );
  expectRefusal(await run('sqlite::memory:'), 'leases in memory are named memory:');
  expect(await readdir(directory.path)).toEqual([]);
  expect((await run('sqlite:leases.db')).exitCode).toBe(0);
});

test('a state directory that cannot be written is refused with 2, and nothing is made', async () => {
  await using home = await makeTempDir();
  await writeFile(join(home.path, 'state'), 'a file where a directory should be');
  const env = { HOME: home.path, XDG_STATE_HOME: join(home.path, 'state') };
  const result = await lease(ACQUIRE, { env });
  expectRefusal(result, /Expected a directory to write to at .*, got ENOTDIR — name a file elsewhere/);
});

test('a database path that is a directory is refused with 2', async () => {
  await using directory = await makeTempDir();
  await mkdir(join(directory.path, 'leases.db'));
  const result = await lease(ACQUIRE, { backend: `sqlite:${directory.path}/leases.db` });
  expectRefusal(result, 'got something that is no file');
});
