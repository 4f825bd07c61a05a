import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { startReplicaPair, startUnsyncedReplica } from '../support/redis-replication.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { resp } from '../support/resp-replies.js';
import { startRespStub } from '../support/resp-stub.js';
import type { CliResult } from '../support/run-cli.js';
import { makeTempDir } from '../support/temp-dir.js';
import { lease } from './lease-cli.js';
import { recordOf } from './lease-site.js';

/** What an operator may ask about a key that seems not to be there. */
const QUESTIONS: readonly (readonly string[])[] = [
  ['owner', 'deploy'],
  ['owner', 'thread:abc'],
  ['owner', '--thread', 'abc'],
  ['owner', '--resource', 'user-42', '--thread', 'abc'],
  ['owner', 'deploy', 'nightly'],
  ['list'],
  ['release', 'deploy', '--owner', 'run-1', '--missing-ok'],
  ['release', 'deploy', '--force', '--yes', '--missing-ok'],
  ['renew', 'deploy', '--owner', 'run-1'],
  ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2'],
];

type LeaseOptions = Parameters<typeof lease>[1];

/** Asks everything in words and the first and the last in JSON too, and gives the answers with what was asked. */
async function askAll(
  options: LeaseOptions,
  questions = QUESTIONS,
): Promise<readonly { readonly asked: string; readonly result: CliResult }[]> {
  const [first = [], last = []] = [questions[0], questions.at(-1)];
  const asked = [...questions, [...first, '--json'], [...last, '--json']];
  return Promise.all(
    asked.map(async (args) => ({ asked: args.join(' '), result: await lease(args, options) })),
  );
}

/** The answer is this failure, and nothing in it could be taken for "nobody holds it". */
function expectNoAllClear(asked: string, { stdout, stderr, exitCode }: CliResult, expected: number): void {
  expect({ asked, exitCode, stderr }).toEqual({
    asked,
    exitCode: expected,
    stderr: expect.stringMatching(/^error /m),
  });
  expect(stderr, asked).not.toMatch(/nobody holds|no lease:|^free|\b0 leases/m);
  if (!asked.includes('--json')) expect(stdout, asked).toMatch(/^(\S+\tERR_LEASE_\w+\t-\t-\n)*$/);
  for (const line of asked.includes('--json') ? stdout.trim().split('\n') : []) {
    expect(JSON.parse(line), asked).toMatchObject({ exitCode: expected });
    expect(line, asked).not.toMatch(/"status":"(free|no-lease)"|"complete":true/);
  }
}

test('a replica before its first sync answers 7', async () => {
  await using replica = await startUnsyncedReplica(await findFreePort());
  for (const { asked, result } of await askAll({ backend: replica.url })) {
    expectNoAllClear(asked, result, 7);
    expect(result.stderr).toMatch(/connected to a replica|lost its primary/);
  }
});

test('a primary that was demoted answers 7, and what it still has is shown with its role', async () => {
  await using pair = await startReplicaPair();
  const old = pair.primary;
  const client = await old.client();
  await client.set(recordOf('held'), 'run-1', 'PX', 60_000);
  await pair.sync();
  await pair.swapRoles();
  for (const { asked, result } of await askAll({ backend: old.url })) {
    if (asked.startsWith('list')) expect(result.exitCode, asked).toBe(7);
    else expectNoAllClear(asked, result, 7);
  }
  const held = await lease(['owner', 'held'], { backend: old.url });
  expect(held).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
  expect(held.stderr).toContain(`${old.url}/0 replica`);
});

test('a server that does not say what it is answers 9', async () => {
  await using stub = await startRespStub(([name, script]) => {
    if (name?.toLowerCase() === 'hello') return resp.error('ERR unknown command `HELLO`');
    if (script?.includes('SCAN')) return resp.array(resp.bulk('0'), resp.integer(1), resp.array());
    return /SET|DEL|PEXPIRE/i.test(script ?? '') ? resp.array(resp.integer(0)) : resp.array();
  });
  for (const { asked, result } of await askAll({ backend: stub.url })) expectNoAllClear(asked, result, 9);
});

describe('a user', () => {
  let server: RedisServer;
  const env = { MASTRA_LEASE_USERNAME: 'reader', MASTRA_LEASE_PASSWORD: 'secret' };
  const search: readonly (readonly string[])[] = [
    ['owner', 'thread:abc'],
    ['owner', '--thread', 'abc'],
  ];

  afterAll(() => server.stop());

  beforeAll(async () => {
    server = await startRedis({
      aclUsers: {
        reader: 'on >secret ~* +get +pttl +hello',
        scripter: 'on >secret ~* +get +pttl +hello +eval',
        blind: 'on >secret ~other:* +@read +hello +eval',
      },
    });
  });

  test.each(['reader', 'scripter'])(
    'who may not SCAN (%s) gets 9 for a thread that would have to be found',
    async (user) => {
      const options = { backend: server.url, env: { ...env, MASTRA_LEASE_USERNAME: user } };
      for (const { asked, result } of await askAll(options, search)) {
        expectNoAllClear(asked, result, 9);
        expect(result.stderr).toContain('--resource');
      }
      for (const { asked, result } of await askAll(options, [['list']])) expectNoAllClear(asked, result, 10);
    },
  );

  test('who may not see the keys gets 10', async () => {
    const options = { backend: server.url, env: { ...env, MASTRA_LEASE_USERNAME: 'blind' } };
    for (const { asked, result } of await askAll(options, [['owner', 'deploy']]))
      expectNoAllClear(asked, result, 10);
  });
});

describe('without a backend that was named', () => {
  test('a read where no local file exists answers 2, and makes none', async () => {
    await using home = await makeTempDir();
    const env = { HOME: home.path, XDG_STATE_HOME: join(home.path, 'state') };
    const reads = QUESTIONS.filter(([verb]) => verb === 'owner' || verb === 'list');
    for (const { asked, result } of await askAll({ env }, reads)) {
      expectNoAllClear(asked, result, 2);
      expect(result.stderr).toContain('No backend found');
    }
    expect(existsSync(join(home.path, 'state'))).toBe(false);
  });

  test('every verb where CI is set answers 2, although a local file exists', async () => {
    await using home = await makeTempDir();
    const env = { HOME: home.path, XDG_STATE_HOME: join(home.path, 'state') };
    expect(await lease(['acquire', 'other', '--owner', 'run-1'], { env })).toMatchObject({ exitCode: 0 });
    const questions = [['owner', 'deploy'], ['list'], ['acquire', 'deploy', '--owner', 'run-1']];
    for (const { asked, result } of await askAll({ env: { ...env, CI: 'true' } }, questions)) {
      expectNoAllClear(asked, result, 2);
      expect(result.stderr).toMatch(/CI is set.*--backend/);
    }
  });

  test('--backend local is the file, even where CI is set', async () => {
    await using home = await makeTempDir();
    const env = { HOME: home.path, XDG_STATE_HOME: join(home.path, 'state'), CI: 'true' };
    const args = ['--backend', 'local'];
    await lease(['acquire', 'deploy', '--owner', 'run-1', ...args], { env });
    const result = await lease(['owner', 'deploy', ...args], { env });
    expect(result).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
    expect(result.stderr).toContain(`sqlite:${home.path}/state/mastra-lease/leases.db · --backend`);
  });

  test('an empty file is not an empty database', async () => {
    await using home = await makeTempDir();
    const path = join(home.path, 'leases.db');
    await writeFile(path, '');
    const reads = QUESTIONS.filter(([verb]) => verb === 'owner' || verb === 'list');
    for (const { asked, result } of await askAll({ backend: `sqlite:${path}` }, reads))
      expectNoAllClear(asked, result, 2);
  });

  test('memory: answers 9: its leases would end with the command', async () => {
    for (const { asked, result } of await askAll({ backend: 'memory:' })) expectNoAllClear(asked, result, 9);
  });
});
