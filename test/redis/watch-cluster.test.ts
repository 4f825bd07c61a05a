import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { commonArgs, startServer } from '../support/redis-process.js';
import { type RedisCluster, type RedisServer, startCluster } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { WatchedView } from '../support/watched-view.js';
import { listKeys, openProvider, recordOf } from './open-provider.js';

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.stop());

beforeEach(async () => {
  for (const node of cluster.nodes) await (await node.client()).flushall();
});

/** Keys of leases, some on each master. */
const KEYS = Array.from({ length: 30 }, (_, index) => `user-${index}\0t`);

async function watchLive(url = cluster.url, keys?: readonly string[]): Promise<WatchedView> {
  const provider = openProvider(url);
  const view = WatchedView.of((options) => provider.watchLeases(options), keys ? { keys } : {});
  await view.untilLive();
  return view;
}

function nodeAt(index: number): RedisServer {
  const node = cluster.nodes[index];
  if (!node) throw new Error(`no node ${index}`);
  return node;
}

/** A key whose record the first master has. */
async function keyOnFirst(name: string): Promise<string> {
  for (let index = 0; ; index += 1) {
    const key = `${name} ${index}`;
    if ((await cluster.ownerOf(recordOf(key))) === nodeAt(0)) return key;
  }
}

test('what changes and what ends on any master is told, from a URL to any of them', async () => {
  const provider = openProvider(cluster.url);
  for (const url of [cluster.url, nodeAt(1).url]) {
    await provider.acquireLease('before', 'o', 60_000);
    const view = await watchLive(url);
    expect(view.live).toMatchObject({ how: 'pushed', commandsPerSecond: 2.4 });
    expect(view.held).toEqual(['before=o']);
    for (const key of KEYS) await provider.acquireLease(key, 'o', 60_000);
    await view.until(() => view.leases.size === KEYS.length + 1);
    for (const key of KEYS.slice(0, 15)) await provider.transferLease(key, 'o', 'p', 300);
    await view.until(() => view.leases.size === 16);
    for (const key of KEYS.slice(15)) await provider.releaseLease(key, 'o');
    await view.until(() => view.held.join() === 'before=o');
    expect(view.snapshots).toBe(1);
    await view.stop();
  }
});

test('named keys are asked of the master that has them', async () => {
  const provider = openProvider(cluster.url);
  for (const key of KEYS.slice(0, 10)) await provider.acquireLease(key, 'o', 60_000);
  const view = await watchLive(cluster.url, KEYS.slice(5, 15));
  expect(view.leases.size).toBe(5);
  for (const key of KEYS.slice(10, 20)) await provider.acquireLease(key, 'o', 400);
  await view.until(() => view.leases.size === 10);
  await view.until(() => view.leases.size === 5);
  expect(view.snapshots).toBe(1);
});

test('FLUSHALL on one master is followed by a snapshot of all', async () => {
  const provider = openProvider(cluster.url);
  for (const key of KEYS) await provider.acquireLease(key, 'o', 60_000);
  const view = await watchLive();
  await (await nodeAt(0).client()).flushall();
  const left = (await listKeys(provider)).length;
  expect(left).toBeLessThan(KEYS.length);
  await view.until(() => view.leases.size === left);
});

test('slots that move are noticed; after that everything is told from where it is', async () => {
  const provider = openProvider(cluster.url);
  const moved = await keyOnFirst('moved');
  await provider.acquireLease(moved, 'o', 60_000);
  const view = await watchLive();
  const move = await cluster.beginSlotMove(recordOf(moved), nodeAt(1));
  await move.moveKeys();
  await view.until(() => view.staleFor, { deadlineMs: 10_000 });
  expect(view.staleFor).toContain('slots are moving');
  expect(view.freedAtMs.size).toBe(0);
  await move.finish();
  await view.untilLive({ deadlineMs: 15_000 });
  expect(view.held).toEqual([`${moved}=o`]);
  await provider.transferLease(moved, 'o', 'p', 60_000);
  await view.until(() => view.held.join() === `${moved}=p`);
  await (await cluster.beginSlotMove(recordOf(moved), nodeAt(0))).finish();
  await view.until(() => view.isLive && view.snapshots >= 3, { deadlineMs: 15_000 });
  expect(view.held).toEqual([`${moved}=p`]);
});

test('an empty slot that moves is noticed by the heartbeat', async () => {
  const provider = openProvider(cluster.url);
  const key = await keyOnFirst('empty');
  const view = await watchLive();
  await (await cluster.beginSlotMove(recordOf(key), nodeAt(2))).finish();
  await view.until(() => view.snapshots === 2 && view.isLive, { deadlineMs: 15_000 });
  await provider.acquireLease(key, 'o', 60_000);
  await view.until(() => view.held.join() === `${key}=o`);
});

test('a master that is lost makes the whole view stale, and nothing free', async () => {
  const provider = openProvider(cluster.url);
  for (const key of KEYS) await provider.acquireLease(key, 'o', 60_000);
  const view = await watchLive();
  await nodeAt(2).kill();
  await view.until(() => view.staleFor);
  await waitFor(
    () => view.staleFor?.includes(`127.0.0.1:${nodeAt(2).port}`) || view.staleFor?.includes('slots'),
  );
  expect(view.leases.size).toBe(KEYS.length);
  await nodeAt(2).restart();
  await view.untilLive({ deadlineMs: 20_000 });
  expect(view.freedAtMs.size).toBe(0);
  expect([...view.leases.keys()].sort()).toEqual(await listKeys(provider));
});

test('a failover is followed to the new master, though the URL knows only the old one', async () => {
  await using failing = await startCluster();
  const [master, ...others] = failing.nodes;
  if (!master) throw new Error('no master');
  await using replica = await startReplicaOf(master, others);
  const provider = openProvider(failing.url);
  for (const key of KEYS) await provider.acquireLease(key, 'o', 600_000);
  const size = await (await master.client()).dbsize();
  const ofReplica = await replica.client();
  await waitFor(async () => (await ofReplica.dbsize()) === size);
  const view = await watchLive(master.url);
  await master.kill();
  await view.until(() => view.staleFor);
  await view.until(() => view.snapshots === 2 && view.isLive, { deadlineMs: 30_000 });
  expect(view.leases.size).toBe(KEYS.length);
  expect(view.freedAtMs.size).toBe(0);
  const survivors = openProvider(`redis+cluster://${others.map(({ port }) => `127.0.0.1:${port}`).join()}`);
  for (const key of KEYS) await survivors.transferLease(key, 'o', 'p', 600_000);
  await view.until(() => view.held.every((line) => line.endsWith('=p')));
}, 60_000);

/** A replica of one master that every node knows. */
async function startReplicaOf(master: RedisServer, others: readonly RedisServer[]): Promise<RedisServer> {
  const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];
  const timeout = ['--cluster-node-timeout', '2000'];
  const replica = await startServer({
    argv: (port, directory) => [...commonArgs(port, directory), ...cluster, ...timeout],
  });
  const client = await replica.client();
  await client.call('CLUSTER', 'MEET', master.host, master.port);
  const masterId = String(await (await master.client()).call('CLUSTER', 'MYID'));
  const deadlineMs = 20_000;
  await waitFor(() => client.call('CLUSTER', 'REPLICATE', masterId), { deadlineMs });
  await waitFor(async () => (await client.info('replication')).includes('master_link_status:up'), {
    deadlineMs,
  });
  for (const node of [master, ...others]) {
    const view = await node.client();
    await waitFor(async () => String(await view.call('CLUSTER', 'NODES')).includes(` slave ${masterId} `), {
      deadlineMs,
    });
  }
  return replica;
}
