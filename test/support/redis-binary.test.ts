import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findInPath, findOrInstallRedisServer, type Machine } from './redis-binary.js';
import { makeTempDir } from './temp-dir.js';

/** A machine with these programs, on which installing adds `/usr/bin/redis-server`, and what happened on it. */
function machineWith(programs: readonly string[], settings: Partial<Machine> = {}) {
  const present = new Set(programs);
  const events: string[] = [];
  const machine: Machine = {
    env: {},
    isRoot: true,
    findProgram: (name) => (present.has(name) ? `/usr/bin/${name}` : undefined),
    isProgram: () => false,
    install: async (aptGet) => {
      events.push(`ran ${aptGet}`);
      present.add('redis-server');
    },
    say: (line) => events.push(line),
    ...settings,
  };
  return { machine, events };
}

test('takes redis-server before valkey-server, and installs nothing', async () => {
  const { machine, events } = machineWith(['valkey-server', 'redis-server', 'apt-get']);
  expect(await findOrInstallRedisServer(machine)).toBe('/usr/bin/redis-server');
  expect(await findOrInstallRedisServer(machineWith(['valkey-server']).machine)).toBe(
    '/usr/bin/valkey-server',
  );
  expect(events).toEqual([]);
});

test('installs for root with apt-get, saying so in one line first', async () => {
  const { machine, events } = machineWith(['apt-get']);
  expect(await findOrInstallRedisServer(machine)).toBe('/usr/bin/redis-server');
  expect(events).toEqual([
    expect.stringMatching(/^No redis-server.*installing.*apt-get\.$/),
    'ran /usr/bin/apt-get',
  ]);
});

test.each([
  ['without apt-get', [], {}],
  ['without root', ['apt-get'], { isRoot: false }],
] as const)('tells how to install in one line %s', async (_, programs, settings) => {
  const { machine, events } = machineWith(programs, settings);
  await expect(findOrInstallRedisServer(machine)).rejects.toThrow(
    /^The tests start real Redis servers .*apt-get install redis-server.*brew install redis.*MASTRA_LEASE_TEST_REDIS_SERVER.*$/,
  );
  expect(events).toEqual([]);
});

test('a configured path wins, and is refused when it cannot be run', async () => {
  const env = { MASTRA_LEASE_TEST_REDIS_SERVER: '/opt/redis' };
  const { machine } = machineWith(['redis-server'], { env, isProgram: (path) => path === '/opt/redis' });
  expect(await findOrInstallRedisServer(machine)).toBe('/opt/redis');
  await expect(findOrInstallRedisServer(machineWith(['redis-server'], { env }).machine)).rejects.toThrow(
    'Expected MASTRA_LEASE_TEST_REDIS_SERVER to name a program that can be run, got "/opt/redis".',
  );
});

test('finds a program in PATH, and takes no directory and no plain file for one', async () => {
  await using first = await makeTempDir();
  await using second = await makeTempDir();
  await writeFile(join(first.path, 'redis-server'), '');
  await writeFile(join(second.path, 'redis-server'), '');
  const path = `/nowhere::${first.path}:${second.path}`;
  expect(findInPath('redis-server', path)).toBeUndefined();
  await chmod(join(second.path, 'redis-server'), 0o755);
  expect(findInPath('redis-server', path)).toBe(join(second.path, 'redis-server'));
});
