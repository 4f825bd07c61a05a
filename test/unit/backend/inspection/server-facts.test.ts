import { expect, onTestFinished, test } from 'vitest';
import { RedisLeaseProvider } from '../../../../src/providers/redis/index.js';
import { findFreePort } from '../../../support/free-port.js';
import { startUnsyncedReplica } from '../../../support/redis-replication.js';
import { startCluster, startRedis, startReplicaPair } from '../../../support/redis-server.js';
import { startRespStub } from '../../../support/resp-stub.js';
import { startTcpProxy } from '../../../support/tcp-proxy.js';

function open(url: string): RedisLeaseProvider {
  const provider = new RedisLeaseProvider({ url, keyPrefix: 'mine' });
  onTestFinished(() => provider.close());
  return provider;
}

const RUN_ID = expect.stringMatching(/^[0-9a-f]{40}$/);

test('a server tells its version, role, mode, eviction and run id, and whether tracking is permitted', async () => {
  await using server = await startRedis({
    args: ['--maxmemory', '64mb', '--maxmemory-policy', 'volatile-lru'],
  });
  expect(await open(server.url).readServerFacts()).toEqual({
    role: 'primary',
    mode: 'standalone',
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    evictionPolicy: 'volatile-lru',
    maxMemoryBytes: 64 * 2 ** 20,
    runId: RUN_ID,
    isTrackingPermitted: true,
  });
});

test('what a user may not ask is refused, and fails nothing', async () => {
  await using server = await startRedis({
    aclUsers: {
      least: 'on >secret ~* +get +pttl',
      informed: 'on >secret ~* +info',
      tracker: 'on >secret ~* +client|tracking',
    },
  });
  const askAs = (user: string) => open(`redis://${user}:secret@127.0.0.1:${server.port}`).readServerFacts();
  const refused = { evictionPolicy: 'refused', maxMemoryBytes: 'refused', runId: 'refused' };
  expect(await askAs('least')).toMatchObject({ role: 'primary', ...refused, isTrackingPermitted: false });
  expect(await askAs('informed')).toMatchObject({ runId: RUN_ID, isTrackingPermitted: false });
  expect(await askAs('tracker')).toMatchObject({ ...refused, isTrackingPermitted: true });
});

test('a server without these commands tells what is left', async () => {
  await using server = await startRedis({ args: ['--rename-command', 'INFO', ''] });
  expect(await open(server.url).readServerFacts()).toMatchObject({ role: 'primary', runId: 'refused' });
  await using proxy = await startRespStub(() => '-ERR unknown command\r\n');
  expect(await open(proxy.url).readServerFacts()).toEqual({
    role: 'unverified',
    evictionPolicy: 'refused',
    maxMemoryBytes: 'refused',
    runId: 'refused',
    isTrackingPermitted: false,
  });
});

test('a replica says whether it hears from its primary', async () => {
  await using pair = await startReplicaPair();
  expect(await open(pair.replica.url).readServerFacts()).toMatchObject({ role: 'replica', isLinkUp: true });
  await using alone = await startUnsyncedReplica(await findFreePort());
  expect(await open(alone.url).readServerFacts()).toMatchObject({ role: 'replica', isLinkUp: false });
});

test('a cluster tells the worst of its masters, and goes on without one that is gone', async () => {
  await using cluster = await startCluster(3);
  const provider = open(cluster.url);
  expect(await provider.readServerFacts()).toMatchObject({
    role: 'primary',
    mode: 'cluster',
    evictionPolicy: 'noeviction',
    isTrackingPermitted: true,
    masters: { answered: 3, known: 3 },
  });
  const [, second, third] = cluster.nodes;
  if (!second || !third) return expect.fail('too few nodes');
  await (await second.client()).config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await provider.readServerFacts()).toMatchObject({ evictionPolicy: 'allkeys-lru' });
  await third.kill();
  expect(await provider.readServerFacts()).toMatchObject({
    evictionPolicy: 'allkeys-lru',
    masters: { answered: 2, known: 3 },
  });
});

test('asking writes nothing, takes one round trip and leaves no tracking behind', async () => {
  await using server = await startRedis();
  await using proxy = await startTcpProxy(server);
  const provider = open(proxy.url);
  await provider.getLeaseOwner('connect first');
  const before = proxy.writes.length;
  await provider.readServerFacts();
  const sent = proxy.writes.slice(before);
  expect(new Set(sent.map(({ answeredBytes }) => answeredBytes)).size).toBe(1);
  expect(sent.flatMap(({ commands }) => commands).map(([name]) => name?.toLowerCase())).toEqual([
    'hello',
    ...['info', 'info', 'info'],
    ...['client', 'client'],
  ]);
  const admin = await server.client();
  const clients = String(await admin.call('CLIENT', 'LIST')).split('\n');
  expect(clients.filter((line) => /flags=\w*[tB]/.test(line))).toEqual([]);
  expect(await admin.dbsize()).toBe(0);
  expect(await admin.info('clients')).toContain('tracking_clients:0');
});

test('a server that cannot be reached is no refusal', async () => {
  const port = await findFreePort();
  await expect(open(`redis://127.0.0.1:${port}`).readServerFacts()).rejects.toMatchObject({
    code: 'ERR_LEASE_UNREACHABLE',
  });
});
