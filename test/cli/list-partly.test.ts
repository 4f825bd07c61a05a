import { describe, expect, test } from 'vitest';
import { startCluster, startRedis } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { lease } from './lease-cli.js';
import { openRedisSite, recordOf } from './lease-site.js';
import { openShell } from './shell.js';

describe('an incomplete listing', () => {
  test('is shown as far as it goes, says so and ends with 7: a master of a cluster is gone', async () => {
    await using cluster = await startCluster();
    for (let index = 0; index < 60; index += 1) {
      const node = await cluster.ownerOf(recordOf(`key-${index}`));
      const client = await node.client();
      await client.set(recordOf(`key-${index}`), `run-${index}`, 'PX', 60_000);
      client.disconnect();
    }
    const whole = await lease(['list'], { backend: cluster.url });
    expect(whole).toMatchObject({ exitCode: 0 });
    expect(whole.stdout.split('\n')).toHaveLength(61);
    await cluster.nodes[2]?.kill();

    const part = await lease(['list', '--timeout', '5s'], { backend: cluster.url });
    expect(part.exitCode).toBe(7);
    const shown = part.stdout.split('\n').length - 1;
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(60);
    expect(part.stderr).toContain(`${shown} leases: INCOMPLETE\n`);
    expect(part.stderr).toMatch(
      new RegExp(`^error The listing is incomplete.*${cluster.nodes[2]?.port}`, 'm'),
    );

    const json = await lease(['list', '--json', '--timeout', '5s'], { backend: cluster.url });
    expect(json.json().at(-1)).toMatchObject({
      complete: false,
      total: shown,
      exitCode: 7,
      error: { code: 'ERR_LEASE_INCOMPLETE' },
    });
    expect(json.stderr).toMatch(/^error The listing is incomplete/);
    expect(json.exitCode).toBe(7);

    const search = await lease(['owner', 'thread:none', '--timeout', '5s'], { backend: cluster.url });
    expect(search).toMatchObject({ stdout: '', exitCode: 7 });
    const write = ['acquire', 'thread:none', '--owner', 'run-1', '--timeout', '5s'];
    expect(await lease(write, { backend: cluster.url })).toMatchObject({ stdout: '', exitCode: 7 });
  });

  test('is what --timeout makes of one that takes too long', async () => {
    await using server = await startRedis();
    await using proxy = await startTcpProxy(server);
    const client = await server.client();
    const pipeline = client.pipeline();
    for (let index = 0; index < 20_000; index += 1)
      pipeline.set(recordOf(`key-${index}`), 'run-1', 'PX', 600_000);
    await pipeline.exec();
    proxy.setRoundTripMs(100);
    const result = await lease(['list', '--json', '--timeout', '1s'], { backend: proxy.url });
    expect(result.json().at(-1)).toMatchObject({ complete: false, exitCode: 7 });
    expect(result.exitCode).toBe(7);
  });
});

test('a reader that leaves (head) ends a listing of 20,000 leases at once and normally', async () => {
  await using site = await openRedisSite();
  const pipeline = site.client.pipeline();
  for (let index = 0; index < 20_000; index += 1) {
    pipeline.set(recordOf(`user-${index}\0t-${index}`), `run-${index}`, 'PX', 600_000);
  }
  await pipeline.exec();
  await using shell = await openShell();
  for (const flags of ['', '--json', '--json --sort left', '--sort kind']) {
    const script = `{ mastra-lease list ${flags}; echo "exit $?" >&2; } | head -1`;
    const { stdout, stderr } = await shell.run(script, site.name);
    expect(stdout.split('\n')).toHaveLength(2);
    expect({ flags, stderr }).toEqual({ flags, stderr: 'exit 0\n' });
  }
  const whole = await shell.run('mastra-lease list | wc -l', site.name);
  expect(whole.stdout.trim()).toBe('20000');
  expect(whole.stderr).toContain('20000 leases\n');
});
