import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { startReplicaPair, startUnsyncedReplica } from '../support/redis-replication.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import type { CliResult } from '../support/run-cli.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { fixture } from './application-process.js';
import { lease } from './lease-cli.js';
import { openSqliteSite, recordOf } from './lease-site.js';

let server: RedisServer;
let client: Redis;
/** One for all: what is compiled once is found again. */
let home: TempDir;

beforeAll(async () => {
  const aclUsers = {
    reader: 'on >secret ~* +get +pttl',
    lister: 'on >secret ~* +get +pttl +scan +eval +type +hello',
  };
  [server, home] = await Promise.all([startRedis({ aclUsers, password: 'hunter2' }), makeTempDir()]);
  client = await server.client();
});
afterAll(() => Promise.all([server.stop(), home.remove()]));

type Options = NonNullable<Parameters<typeof lease>[1]>;

function check(options: Options = {}, ...args: readonly string[]): Promise<CliResult> {
  return lease(['check', ...args], { ...options, env: { HOME: home.path, ...options.env } });
}

/** The one object that `check --json` prints. */
async function checkJson(options: Options = {}, ...args: readonly string[]) {
  const result = await check(options, '--json', ...args);
  const [report, ...more] = result.json();
  expect(more).toEqual([]);
  expect(report).toMatchObject({ exitCode: result.exitCode });
  return { report, exitCode: result.exitCode };
}

const redisStreams = (url: string): Options => ({
  backend: fixture('redis-streams/pubsub.ts'),
  env: { HOME: home.path, FIXTURE_REDIS_URL: url },
});

describe('on Redis', () => {
  test('it says which backend, by which step, what it implements, how fast it answers and what it is', async () => {
    await client.set(recordOf('deploy'), 'run-1', 'PX', 60_000);
    const { report, exitCode } = await checkJson({ backend: server.url });
    expect(exitCode).toBe(0);
    const all = {
      acquireLease: true,
      getLeaseOwner: true,
      releaseLease: true,
      renewLease: true,
      transferLease: true,
    };
    const name = `redis://127.0.0.1:${server.port}/0`;
    expect(report).toMatchObject({
      schema: 'mastra-lease/check@1',
      source: {
        backend: name,
        foundBy: 'MASTRA_LEASE_BACKEND',
        keyPrefix: 'mastra:topic',
        database: 0,
        role: 'primary',
      },
      provider: { class: 'RedisLeaseProvider', methods: all, scope: 'network', atomicTransfer: true },
      inspector: { how: 'own', isTrusted: true },
      listing: { state: 'verified', seen: 1 },
      answers: { asked: 20 },
      server: {
        role: 'primary',
        mode: 'standalone',
        version: expect.stringMatching(/^\d+\.\d+/),
        evictionPolicy: 'noeviction',
        isTrackingPermitted: true,
        runId: /run_id:(\w+)/.exec(await client.info('server'))?.[1],
      },
      runtime: { ttlMs: 15_000, renewIntervalMs: 5_000, isFromEnvironment: false },
      warnings: [],
    });
    const { minMs, medianMs, maxMs } = (report?.answers ?? {}) as Record<string, number>;
    expect(minMs).toBeGreaterThan(0);
    expect(medianMs).toBeGreaterThanOrEqual(minMs ?? 0);
    expect(maxMs).toBeGreaterThanOrEqual(medianMs ?? 0);
    await client.del(recordOf('deploy'));
  });

  test('a person reads the same, line by line, and no password', async () => {
    const env = {
      MASTRA_AGENT_THREAD_LEASE_TTL_MS: '9000',
      MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS: '1000',
    };
    const { stdout, stderr, exitCode } = await check({
      backend: server.url,
      env: { HOME: home.path, ...env },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const line of [
      /^backend +redis:\/\/127\.0\.0\.1:\d+\/0 primary · mastra:topic · MASTRA_LEASE_BACKEND$/m,
      /^ +--backend: not given$/m,
      /^ +→ MASTRA_LEASE_BACKEND: given$/m,
      /^methods +✓ acquireLease {2}✓ getLeaseOwner {2}✓ releaseLease {2}✓ renewLease {2}✓ transferLease$/m,
      /^scope +network$/m,
      /^transfer +atomic: yes \(declared\)$/m,
      /^inspector +the provider itself · own$/m,
      /^listing +nothing is listed, so nothing could be compared$/m,
      /^answers +20 of 20, in [\d.]+ \/ [\d.]+ \/ [\d.]+ ms \(min \/ median \/ max\)$/m,
      /^server +\d+\.\d+\S* · primary · standalone · eviction noeviction · tracking permitted · run id \w{40}$/m,
      /^runtime +lease TTL 9\.0 s, renewed every 1\.0 s \(from this environment's variables\)$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout).not.toMatch(/hunter2|warning|failed/);
  });

  test('nothing is written, by a user with every right and by a module’s provider', async () => {
    await client.flushall();
    await client.config('RESETSTAT');
    const before = await client.info('persistence');
    const [own, module] = await Promise.all([
      check({ backend: server.url }),
      check(redisStreams(server.url)),
    ]);
    expect([own.exitCode, module.exitCode]).toEqual([0, 0]);
    for (const { stdout, stderr } of [own, module]) expect(stdout + stderr).not.toContain('hunter2');
    const changes = (info: string) => /rdb_changes_since_last_save:(\d+)/.exec(info)?.[1];
    expect(changes(await client.info('persistence'))).toBe(changes(before));
    expect(await client.dbsize()).toBe(0);
    const run = [...(await client.info('commandstats')).matchAll(/^cmdstat_([^:]+)/gm)].map(
      ([, name]) => name,
    );
    expect(run).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(set|del|pexpire|expire|xadd|xgroup|publish|config\|set)/),
      ]),
    );
  });

  test('two pods that see the same server get lines that differ in nothing but time', async () => {
    await using proxy = await startTcpProxy(server);
    const reports = await Promise.all([
      checkJson({ backend: server.url }),
      checkJson({ backend: server.url }),
      checkJson({ backend: proxy.url }),
    ]);
    const [one, other, tunnelled] = reports.map(({ report }) => report);
    const comparable = ({ at: _, answers: __, ...rest }: Readonly<Record<string, unknown>> = {}) => rest;
    expect(comparable(one)).toEqual(comparable(other));
    expect(tunnelled?.source).not.toEqual(one?.source);
    expect(tunnelled?.server).toEqual(one?.server);
  });

  test.each(['reader', 'lister'])('what the user %s may not ask fails nothing', async (username) => {
    const backend = `redis://127.0.0.1:${server.port}`;
    const env = { HOME: home.path, MASTRA_LEASE_USERNAME: username, MASTRA_LEASE_PASSWORD: 'secret' };
    const { report, exitCode } = await checkJson({ backend, env });
    expect(report).toMatchObject({
      answers: { asked: 20 },
      server: { role: 'primary', evictionPolicy: 'refused', runId: 'refused', isTrackingPermitted: false },
    });
    expect(exitCode).toBe(0);
    expect(String(report?.warnings)).toContain('client tracking is not permitted');
  });

  test('an eviction policy that ends leases early is a warning', async () => {
    for (const policy of ['allkeys-lru', 'volatile-ttl']) {
      await client.config('SET', 'maxmemory-policy', policy);
      const { stdout, exitCode } = await check({ backend: server.url });
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`^warning +the server may evict leases .*maxmemory-policy ${policy}`, 'm'),
      );
    }
    await client.config('SET', 'maxmemory-policy', 'noeviction');
  });

  test('a refused password is 10', async () => {
    const { report, exitCode } = await checkJson({ backend: `redis://:wrong@127.0.0.1:${server.port}` });
    expect(exitCode).toBe(10);
    expect(report).toMatchObject({ error: { code: 'ERR_LEASE_NOT_PERMITTED' } });
  });
});

describe('what cannot be used now is 7', () => {
  test('a server that is not there, by a URL and by a module', async () => {
    const url = `redis://127.0.0.1:${await findFreePort()}`;
    for (const options of [{ backend: url }, redisStreams(url)]) {
      const { report, exitCode } = await checkJson(options);
      expect(exitCode).toBe(7);
      expect(report).toMatchObject({ answers: { asked: 1 }, error: { code: 'ERR_LEASE_UNREACHABLE' } });
      expect(report).not.toHaveProperty('listing');
    }
  });

  test('a replica, which says that it is one; a provider that keeps the contract alone does not notice', async () => {
    await using pair = await startReplicaPair();
    for (const options of [{ backend: pair.replica.url }, redisStreams(pair.replica.url)]) {
      const { report, exitCode } = await checkJson(options);
      expect({ exitCode, server: report?.server }).toMatchObject({
        exitCode: 7,
        server: { role: 'replica' },
      });
      expect(report).toMatchObject({ source: { role: 'replica' }, error: { code: 'ERR_LEASE_UNREACHABLE' } });
    }
  });

  test('a replica before its first sync', async () => {
    await using replica = await startUnsyncedReplica(await findFreePort());
    expect((await check({ backend: replica.url })).exitCode).toBe(7);
  });
});

describe('elsewhere', () => {
  test('an SQLite file of this host is 0, and nothing is asked of a server', async () => {
    await using site = await openSqliteSite();
    await site.hold('deploy', 'run-1');
    const { report, exitCode } = await checkJson({ backend: site.name });
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({
      source: { backend: site.name, scope: 'host' },
      provider: { class: 'SqliteLeaseProvider', scope: 'host', atomicTransfer: true },
      listing: { state: 'verified', seen: 1 },
    });
    expect(report).not.toHaveProperty('server');
  });

  test('an SQLite file that is not there is 2, and is not made', async () => {
    await using folder = await makeTempDir();
    const path = join(folder.path, 'leases.db');
    expect((await check({ backend: `sqlite:${path}` })).exitCode).toBe(2);
    expect(existsSync(path)).toBe(false);
  });

  test('memory: is 9: its leases would end with the command', async () => {
    const { report, exitCode } = await checkJson({ backend: 'memory:' });
    expect(exitCode).toBe(9);
    expect(report).toMatchObject({
      provider: { class: 'MemoryLeaseProvider', confinement: 'process', scope: 'process' },
      error: { code: 'ERR_LEASE_UNSUPPORTED' },
    });
  });

  test('without any backend it is 2', async () => {
    await using folder = await makeTempDir();
    const result = await check({ cwd: folder.path, env: { HOME: folder.path, CI: 'true' } }, '--json');
    expect(result.exitCode).toBe(2);
    expect(result.json()).toMatchObject([{ verb: 'check', error: { code: 'ERR_LEASE_INVALID_CONFIG' } }]);
  });
});

describe('of a module', () => {
  test('a listing that the provider does not agree with is a warning that says why', async () => {
    await client.set(recordOf('deploy', 'x:y'), 'someone', 'PX', 60_000);
    const { report, exitCode } = await checkJson({
      ...redisStreams(server.url),
      backend: fixture('redis-lying/pubsub.ts'),
    });
    await client.flushall();
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({
      inspector: { how: 'introspection', isTrusted: false },
      listing: { state: 'refused', error: { code: 'ERR_LEASE_UNVERIFIED' } },
      warnings: [expect.stringContaining('the application knows no such lease')],
    });
  });

  test('with --no-introspect it says that nothing can list, and what to configure', async () => {
    const { report, exitCode } = await checkJson(redisStreams(server.url), '--no-introspect');
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({ listing: { state: 'none' } });
    expect(report).not.toHaveProperty('inspector');
    expect(report).not.toHaveProperty('server');
  });

  test('a wrong environment of the runtime is named', async () => {
    const env = { ...redisStreams(server.url).env, MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS: '5s' };
    const result = await check({ ...redisStreams(server.url), env });
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain('MASTRA_AGENT_THREAD_LEASE_RENEW_INTERVAL_MS');
  });
});
