import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startRedis, startSentinel } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { lease } from './lease-cli.js';

/** A claim and a look at it, both from a process of its own. */
async function expectLeasing(backend: string, flags: readonly string[] = []): Promise<void> {
  const acquired = await lease(['acquire', 'deploy', '--owner', 'run-1', ...flags], { backend });
  expect(acquired).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
  const found = await lease(['owner', 'deploy', ...flags], { backend });
  expect(found).toMatchObject({ stdout: 'run-1\n', exitCode: 0 });
}

describe('a backend by its address', () => {
  test('is a Redis, a Valkey, one of its databases, or a Unix socket', async () => {
    await using server = await startRedis({ unixSocket: true });
    const valkey = server.url.replace('redis://', 'valkey://');
    await Promise.all([
      expectLeasing(server.url),
      expectLeasing(`${valkey}/1`),
      expectLeasing(`redis+unix://${server.socketPath}?db=2`),
    ]);
    const client = await server.client();
    expect(await client.info('keyspace')).toMatch(/db0:keys=1.*db1:keys=1.*db2:keys=1/s);
  });

  test('is the primary that Sentinels name, after a failover too', async () => {
    await using group = await startSentinel();
    await expectLeasing(group.url);
    await group.failover();
    const free = await lease(['acquire', 'nightly', '--owner', 'run-2'], { backend: group.url });
    expect(free).toMatchObject({ stdout: 'run-2\n', exitCode: 0 });
    expect(free.stderr).toContain('primary');
  });
});

describe('TLS', () => {
  test('is checked: by the authority that is given, under the name that is expected', async () => {
    await using server = await startRedis({ tls: { names: ['cache.example'] } });
    await using tunnel = await startTcpProxy(server);
    const authority = join(server.directory, 'authority.pem');
    await writeFile(authority, server.tls?.ca ?? '');
    const backend = tunnel.url;
    const ask = (flags: readonly string[]) => lease(['owner', 'deploy', ...flags], { backend });

    const [untrusted, misnamed, trusted, unchecked] = await Promise.all([
      ask([]),
      ask(['--tls-ca', authority]),
      ask(['--tls-ca', authority, '--tls-servername', 'cache.example']),
      ask(['--tls-insecure']),
    ]);
    expect(untrusted).toMatchObject({ stdout: '', exitCode: 7 });
    expect(untrusted.stderr).toContain('--tls-ca');
    expect(misnamed).toMatchObject({ stdout: '', exitCode: 7 });
    expect(misnamed.stderr).toContain('--tls-servername');
    expect(trusted).toMatchObject({ exitCode: 4 });
    expect(unchecked).toMatchObject({ exitCode: 4 });
    expect(unchecked.stderr).toMatch(/^warning: .*--tls-insecure/);
    expect(await lease(['owner', 'deploy', '--tls-insecure', '-q'], { backend })).toMatchObject({
      exitCode: 4,
    });
  });

  test('to a server that speaks none ends with 7 and says what to try', async () => {
    await using server = await startRedis();
    const result = await lease(['owner', 'deploy', '--timeout', '2s'], {
      backend: server.url.replace('redis://', 'rediss://'),
    });
    expect(result).toMatchObject({ stdout: '', exitCode: 7 });
    expect(result.stderr).toContain('redis://');
  });
});
