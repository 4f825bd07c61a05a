import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import type { CliResult } from '../support/run-cli.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir } from '../support/temp-dir.js';
import { lease } from './lease-cli.js';
import { openSqliteSite } from './lease-site.js';

const READS = { owner: ['owner', 'deploy'], list: ['list'] } as const;
const WRITES = {
  acquire: ['acquire', 'deploy', '--owner', 'run-1'],
  release: ['release', 'deploy', '--owner', 'run-1'],
  renew: ['renew', 'deploy', '--owner', 'run-1'],
  transfer: ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2'],
} as const;
const VERBS: Readonly<Record<string, readonly string[]>> = { ...READS, ...WRITES };

const TIMEOUT_MS = 1_500;

/** Runs verbs against a backend, all at once, and gives the results by verb. */
async function runAll(
  verbs: Readonly<Record<string, readonly string[]>>,
  backend: string,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Record<string, string> } = {},
): Promise<readonly (readonly [string, CliResult])[]> {
  const timeout = ['--timeout', `${TIMEOUT_MS}ms`];
  return Promise.all(
    Object.entries(verbs).map(async ([verb, words]) => {
      return [verb, await lease([...words, ...timeout, ...args], { backend, env })] as const;
    }),
  );
}

/** One line of error, after that of the audit where a write was sent, and no answer. */
function expectFailure(verb: string, result: CliResult, exitCode: number, message: RegExp): void {
  expect({ verb, exitCode: result.exitCode, stdout: result.stdout }).toEqual({ verb, exitCode, stdout: '' });
  expect(result.stderr, verb).toMatch(
    exitCode === 8 ? /^audit: [^\n]+: unknown\nerror [^\n]+\n$/ : /^error [^\n]+\n$/,
  );
  expect(result.stderr, verb).toMatch(message);
}

/** What starting so many programs at once takes here and now, whatever they do. */
async function measureStartMs(count: number): Promise<number> {
  const runs = await Promise.all(Array.from({ length: count }, () => lease(['owner', '--help'])));
  return Math.max(...runs.map(({ durationMs }) => durationMs));
}

/** `--timeout` plus a second, and what it took to start. */
async function expectInTime(results: readonly (readonly [string, CliResult])[]): Promise<void> {
  const startMs = await measureStartMs(results.length);
  for (const [verb, { durationMs }] of results) {
    expect(durationMs - startMs, verb).toBeLessThan(TIMEOUT_MS + 1_000);
  }
}

test('a connection that is refused is 7 for every verb, with the address and what to check', async () => {
  const backend = `redis://127.0.0.1:${await findFreePort()}`;
  for (const [verb, result] of await runAll(VERBS, backend)) {
    const message = /127\.0\.0\.1:\d+\S* \(connection refused\); nothing was changed — is the server running/;
    expectFailure(verb, result, 7, message);
  }
});

describe('a server that goes silent', () => {
  let server: RedisServer;
  let protectedServer: RedisServer;

  beforeAll(async () => {
    server = await startRedis();
    protectedServer = await startRedis({ password: 'hunter2' });
  });
  afterAll(async () => {
    await server.stop();
    await protectedServer.stop();
  });

  test('is 7 for what only reads and 8 for a write that was sent, within the time that was given', async () => {
    await using proxy = await startTcpProxy(server);
    proxy.pause();
    const results = await runAll(VERBS, proxy.url);
    for (const [verb, result] of results) {
      if (verb in READS)
        expectFailure(verb, result, 7, /timed out waiting for the answer.*nothing was changed/);
      else expectFailure(verb, result, 8, /was sent .* no answer came .*may have happened.*read the lease/);
    }
    await expectInTime(results);
  });

  test('is 7 for a write too while it was still logging in: nothing was sent', async () => {
    await using proxy = await startTcpProxy(protectedServer);
    proxy.pause();
    const results = await runAll(VERBS, proxy.url);
    for (const [verb, result] of results) {
      expectFailure(verb, result, 7, /timed out.*nothing was changed/);
      expect(result.stderr).not.toContain('hunter2');
    }
    await expectInTime(results);
    expect(proxy.commands.map(([name]) => name?.toLowerCase())).toEqual(Array(6).fill('auth'));
  });

  test('says the same as JSON, one object', async () => {
    await using proxy = await startTcpProxy(server);
    proxy.pause();
    const verbs = { owner: READS.owner, acquire: WRITES.acquire };
    const results = new Map(await runAll(verbs, proxy.url, { args: ['--json'] }));
    expect(results.get('owner')?.json()).toEqual([
      {
        schema: 'mastra-lease/error@1',
        verb: 'owner',
        exitCode: 7,
        error: expect.objectContaining({ code: 'ERR_LEASE_UNREACHABLE' }),
        source: expect.objectContaining({ backend: `${proxy.url}/0` }),
      },
    ]);
    expect(results.get('acquire')?.json()).toEqual([
      {
        schema: 'mastra-lease/error@1',
        verb: 'acquire',
        exitCode: 8,
        error: expect.objectContaining({
          code: 'ERR_LEASE_OUTCOME_UNKNOWN',
          remedy: 'read the lease before trying again',
        }),
        source: expect.objectContaining({ backend: `${proxy.url}/0` }),
      },
    ]);
  });
});

describe('refused credentials', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis({
      password: 'hunter2',
      aclUsers: { reader: 'on >secret ~* +get +pttl +hello' },
    });
  });
  afterAll(() => server.stop());

  test.each([
    ['a wrong password in the URL', ':wrong-guess@', [], {}],
    ['no password', '', ['--json'], {}],
    ['a wrong password in its variable', '', ['--json'], { MASTRA_LEASE_PASSWORD: 'wrong-guess' }],
  ] as const)('%s is 10 for every verb, and is not printed', async (_, userInfo, args, env) => {
    const backend = `redis://${userInfo}127.0.0.1:${server.port}`;
    for (const [verb, { exitCode, stdout, stderr }] of await runAll(VERBS, backend, { args, env })) {
      expect({ verb, exitCode }).toEqual({ verb, exitCode: 10 });
      expect(stderr).toMatch(/127\.0\.0\.1:\d+.*(NOAUTH|WRONGPASS).* — check the user name and password/);
      expect(stdout + stderr).not.toContain('wrong-guess');
    }
  });

  test.each([
    ['owner', ['owner', '--thread', 't-1']],
    ['inspect', ['inspect', '--thread', 't-1']],
    ['wait', ['wait', '--thread', 't-1', '--until', 'free']],
    ['release', ['release', '--thread', 't-1', '--owner', 'run-1']],
    ['watch', ['watch', '--for', '5s']],
    ['watch of a key', ['watch', 'deploy', '--for', '5s']],
  ])('%s is 10 as well where it has to look for what it is about', async (_, words) => {
    for (const userInfo of ['', ':wrong-guess@']) {
      const backend = `redis://${userInfo}127.0.0.1:${server.port}`;
      const { exitCode, stdout, stderr } = await lease(words, { backend });
      expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: '' });
      expect(stderr).toMatch(/(NOAUTH|WRONGPASS).* — check the user name and password/);
    }
  });

  test('the right password may come from the URL, a variable or a file', async () => {
    await using directory = await makeTempDir();
    const file = join(directory.path, 'password');
    await writeFile(file, 'hunter2\n');
    const backend = `redis://127.0.0.1:${server.port}`;
    const free = { exitCode: 4, stdout: '' };
    const ask = ['owner', 'k'];
    expect(await lease(ask, { backend: server.url })).toMatchObject(free);
    expect(await lease(ask, { backend, env: { MASTRA_LEASE_PASSWORD: 'hunter2' } })).toMatchObject(free);
    expect(await lease([...ask, '--password-file', file], { backend })).toMatchObject(free);
  });

  test('a user who may only read is told which verb is not permitted, with 10', async () => {
    const options = { env: { MASTRA_LEASE_USERNAME: 'reader', MASTRA_LEASE_PASSWORD: 'secret' } };
    const backend = `redis://127.0.0.1:${server.port}`;
    for (const [verb, result] of await runAll(WRITES, backend, options)) {
      expectFailure(verb, result, 10, new RegExp(`^error ${verb} is not permitted on .*NOPERM`));
    }
    expect(await lease(READS.owner, { backend, ...options })).toMatchObject({ exitCode: 4 });
  });
});

describe('an SQLite file', () => {
  test('that another process keeps locked is 7 for a write, within the time that was given', async () => {
    await using site = await openSqliteSite();
    const path = site.name.slice('sqlite:'.length);
    const other = new DatabaseSync(path);
    other.exec('BEGIN EXCLUSIVE');
    try {
      const results = await runAll(WRITES, site.name);
      for (const [verb, result] of results) {
        expectFailure(verb, result, 7, /was locked by another process.*nothing was changed/);
      }
      await expectInTime(results);
    } finally {
      other.close();
    }
  });

  test('that is something else is refused with 2 by every verb, and left as it was', async () => {
    await using site = await openSqliteSite();
    const path = site.name.slice('sqlite:'.length).replace('leases.db', 'other.db');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE invoices (id INTEGER)');
    for (const [verb, result] of await runAll(VERBS, `sqlite:${path}`)) {
      expectFailure(
        verb,
        result,
        2,
        /Expected a lease database at .*, got an SQLite database of something else/,
      );
    }
    expect(other.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'invoices' }]);
    other.close();
  });

  test('that may not be read is 10', async () => {
    await using site = await openSqliteSite();
    await chmod(site.name.slice('sqlite:'.length), 0);
    const isRoot = process.getuid?.() === 0;
    const result = await lease(READS.owner, { backend: site.name });
    if (isRoot) expect(result).toMatchObject({ exitCode: 4 });
    else expectFailure('owner', result, 10, /cannot be read/);
  });
});
