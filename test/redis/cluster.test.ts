import calculateSlot from 'cluster-key-slot';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { type RedisCluster, type RedisServer, startCluster } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import {
  codeOf,
  failureOf,
  listKeys,
  openProvider,
  readAll,
  recordOf,
  VERB_NAMES,
  VERBS,
} from './open-provider.js';

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startCluster();
  // One dead master must not close the others.
  await onEvery((node) =>
    node.client().then((client) => client.config('SET', 'cluster-require-full-coverage', 'no')),
  );
});

afterAll(() => cluster.stop());

beforeEach(() => onEvery((node) => node.client().then((client) => client.flushall())));

/** Moves a slot with all its keys, and waits until every node has heard of it: the next move would confuse them. */
async function moveSlot(key: string, to: RedisServer): Promise<void> {
  await (await cluster.beginSlotMove(key, to)).finish();
  await settle();
}

async function settle(): Promise<void> {
  await waitFor(async () => new Set(await Promise.all(cluster.nodes.map(viewOf))).size === 1, {
    deadlineMs: 15_000,
    what: 'the nodes to agree on the slots',
  });
}

/** Who serves which slots since when, as one node sees it. */
async function viewOf(node: RedisServer): Promise<string> {
  const nodes = String(await (await node.client()).call('CLUSTER', 'NODES'));
  const masters = nodes
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  return masters
    .map(([id, , , , , , epoch, , ...slots]) => [id, epoch, ...slots].join(' '))
    .sort()
    .join('\n');
}

async function onEvery(work: (node: RedisServer) => Promise<unknown>): Promise<void> {
  for (const node of cluster.nodes) await work(node);
}

const MODES = ['one-shot', 'kept'] as const;

/** Keys of leases, some on each master. */
const KEYS = Array.from({ length: 30 }, (_, index) => `user-${index}\0t`);

/** A key whose record another master than this one has. */
async function keyOn(node: RedisServer, from = 0): Promise<string> {
  for (let index = from; ; index += 1) {
    const key = `key ${index}`;
    if ((await cluster.ownerOf(recordOf(key))) === node) return key;
  }
}

test.each(['plain', 'user\0thread', 'a{tag}b', '{}x', '{a', '🔒}é{', '\ud83d\udd12'.repeat(3)])(
  'the slot of %j is the one that the servers compute',
  async (key) => {
    const client = await cluster.nodes[0]?.client();
    expect(calculateSlot(recordOf(key))).toBe(await client?.call('CLUSTER', 'KEYSLOT', recordOf(key)));
    expect(calculateSlot(Buffer.from(recordOf(key)))).toBe(calculateSlot(recordOf(key)));
  },
);

describe.each(MODES)('%s', (connection) => {
  test('every verb finds its master, from a cluster URL and from a plain URL to any node', async () => {
    for (const url of [cluster.url, ...cluster.nodes.map((node) => node.url)]) {
      const provider = openProvider(url, { connection });
      for (const key of KEYS) {
        expect(await provider.acquireLease(key, 'o', 10_000)).toEqual({ acquired: true, owner: 'o' });
        expect(await provider.acquireLease(key, 'p', 10_000)).toEqual({ acquired: false, owner: 'o' });
        expect(await provider.renewLease(key, 'o', 10_000)).toBe(true);
        expect(await provider.transferLease(key, 'o', 'p', 10_000)).toBe(true);
        expect(await provider.getLeaseOwner(key)).toBe('p');
        expect(await provider.readLease(key)).toMatchObject({ owner: 'p' });
      }
      expect(await listKeys(provider)).toEqual([...KEYS].sort());
      for (const key of KEYS) await provider.releaseLease(key, 'p');
      expect(await listKeys(provider)).toEqual([]);
    }
  });

  test('a learned owner is asked directly from then on', async () => {
    const [first] = cluster.nodes;
    if (!first) throw new Error('no node');
    await using proxy = await startTcpProxy(first);
    const provider = openProvider(proxy.url, { connection });
    const key = await keyOn(cluster.nodes[1] ?? first);
    await provider.getLeaseOwner(key);
    proxy.clear();
    await provider.acquireLease(key, 'o', 10_000);
    expect(proxy.commands).toEqual([]);
  });

  test('seeds that are dead or silent are passed over', async () => {
    const [node] = cluster.nodes;
    if (!node) throw new Error('no node');
    await using silent = await startTcpProxy(node);
    silent.pause();
    const dead = await findFreePort();
    const url = `redis+cluster://127.0.0.1:${dead},127.0.0.1:${node.port}`;
    expect(await openProvider(url, { connection }).acquireLease('k', 'o', 1_000)).toEqual({
      acquired: true,
      owner: 'o',
    });
  });
});

describe('while slots move', () => {
  test('while a slot is moving, keys that are still there and keys that are gone are both found', async () => {
    const [from, to] = cluster.nodes;
    if (!from || !to) throw new Error('no nodes');
    const provider = openProvider(cluster.url);
    const stay = await keyOn(from);
    // The same slot: only the hash tag counts.
    const prefix = `{${recordOf(stay)}}`;
    const tagged = openProvider(cluster.url, { keyPrefix: prefix });
    await tagged.acquireLease('moves', 'o', 60_000);
    await tagged.readLease('moves');
    const move = await cluster.beginSlotMove(`${prefix}:lease:moves`, to);
    expect(await tagged.getLeaseOwner('moves')).toBe('o');
    expect(await tagged.acquireLease('born during the move', 'o', 60_000)).toEqual({
      acquired: true,
      owner: 'o',
    });
    expect(await (await to.client()).call('CLUSTER', 'COUNTKEYSINSLOT', move.slot)).toBe(1);
    await move.moveKeys();
    await expectVerbsToWork(tagged, 'moves');
    expect(await tagged.getLeaseOwner('neither')).toBeUndefined();
    await move.finish();
    await expectVerbsToWork(tagged, 'moves');
    expect(await tagged.getLeaseOwner('born during the move')).toBe('o');
    expect(await tagged.readLease('neither')).toBeUndefined();
    expect(await provider.getLeaseOwner(stay)).toBeUndefined();
    await settle();
    await moveSlot(`${prefix}:lease:moves`, from);
  });

  test('a listing while a slot is moving yields every lease and says that it cannot be sure', async () => {
    const [from, to] = cluster.nodes;
    if (!from || !to) throw new Error('no nodes');
    const provider = openProvider(cluster.url);
    for (const key of KEYS) await provider.acquireLease(key, 'o', 60_000);
    const key = KEYS.find((candidate) => calculateSlot(recordOf(candidate)) < 16_384 / 3);
    if (!key) throw new Error('no key on the first master');
    const move = await cluster.beginSlotMove(recordOf(key), to);
    await move.moveKeys();
    const { leases, error } = await readAll(provider);
    expect(leases.map((lease) => lease.key).sort()).toEqual([...KEYS].sort());
    expect(error).toMatchObject({
      code: 'ERR_LEASE_INCOMPLETE',
      message: expect.stringContaining('slots are moving'),
    });
    await move.finish();
    await settle();
    expect(await listKeys(provider)).toEqual([...KEYS].sort());
    await moveSlot(recordOf(key), from);
  });

  test('a slot that moves away behind the listing never leaves a lease out silently', async () => {
    const provider = openProvider(cluster.url);
    for (const key of KEYS) await provider.acquireLease(key, 'o', 60_000);
    const masters = await mastersInOrder(provider);
    const [early, late] = [masters[0], masters.at(-1)];
    if (!early || !late) throw new Error('no masters');
    const key = await firstKeyOn(late);
    const seen: string[] = [];
    const listing = (async () => {
      for await (const lease of provider.listLeases()) {
        // The first master is done and the last has not begun.
        if (seen.length > 0 && (await cluster.ownerOf(recordOf(key))) === late)
          await moveSlot(recordOf(key), early);
        seen.push(lease.key);
      }
    })();
    const error = await failureOf(listing);
    expect(seen).not.toContain(key);
    expect([error.code, error.message]).toEqual([
      'ERR_LEASE_INCOMPLETE',
      expect.stringContaining('slots are moving'),
    ]);
    await moveSlot(recordOf(key), late);
  });

  test('a slot that was there and back meanwhile is noticed too', async () => {
    const provider = openProvider(cluster.url);
    for (const key of KEYS) await provider.acquireLease(key, 'o', 60_000);
    const [from, to] = cluster.nodes;
    if (!from || !to) throw new Error('no nodes');
    const key = await firstKeyOn(from);
    let hasMoved = false;
    const listing = (async () => {
      for await (const _lease of provider.listLeases()) {
        if (hasMoved) continue;
        hasMoved = true;
        await moveSlot(recordOf(key), to);
        await moveSlot(recordOf(key), from);
      }
    })();
    expect(await failureOf(listing)).toMatchObject({ code: 'ERR_LEASE_INCOMPLETE' });
  });
});

test('the least to list a cluster is GET, PTTL, SCAN, CLUSTER SLOTS and CLUSTER NODES', async () => {
  const least = ['+get', '+pttl', '+scan', '+cluster|slots', '+cluster|nodes'];
  await openProvider(cluster.url).acquireLease('held', 'o', 60_000);
  const providerWith = async (name: string, permissions: readonly string[]) => {
    const rules = ['on', '>p', '~mastra:topic:lease:*', '-@all', ...permissions];
    await onEvery(async (node) => (await node.client()).call('ACL', 'SETUSER', name, ...rules));
    return openProvider(cluster.url.replace('//', `//${name}:p@`));
  };
  expect(await listKeys(await providerWith('lister', least))).toEqual(['held']);
  for (const [index, left] of least.entries()) {
    const provider = await providerWith(
      `lister${index}`,
      least.filter((permission) => permission !== left),
    );
    const { error } = await readAll(provider);
    expect([left, error]).toEqual([left, expect.objectContaining({ code: 'ERR_LEASE_NOT_PERMITTED' })]);
  }
});

test('a database other than 0 is refused as what it is, and nothing is done in database 0', async () => {
  for (const node of cluster.nodes) {
    const provider = openProvider(`${node.url}/1`);
    for (const verb of VERB_NAMES) {
      const error = await failureOf(VERBS[verb](provider, 'k'));
      expect([verb, error.code]).toEqual([verb, 'ERR_LEASE_INVALID_CONFIG']);
      expect(error.message).toContain('SELECT is not allowed in cluster mode');
    }
    expect((await readAll(provider)).error).toMatchObject({ code: 'ERR_LEASE_INVALID_CONFIG' });
  }
  expect(await listKeys(openProvider(cluster.url))).toEqual([]);
});

async function expectVerbsToWork(provider: ReturnType<typeof openProvider>, key: string): Promise<void> {
  expect(await provider.acquireLease(key, 'o', 60_000)).toEqual({ acquired: true, owner: 'o' });
  expect(await provider.acquireLease(key, 'p', 60_000)).toEqual({ acquired: false, owner: 'o' });
  expect(await provider.renewLease(key, 'o', 60_000)).toBe(true);
  expect(await provider.transferLease(key, 'o', 'p', 60_000)).toBe(true);
  expect(await provider.readLease(key)).toMatchObject({ owner: 'p' });
  expect(await provider.transferLease(key, 'p', 'o', 60_000)).toBe(true);
}

/** The masters in the order in which a listing visits them. */
async function mastersInOrder(provider: ReturnType<typeof openProvider>): Promise<RedisServer[]> {
  const order = new Set<RedisServer>();
  for await (const { key } of provider.listLeases()) order.add(await cluster.ownerOf(recordOf(key)));
  return [...order];
}

async function firstKeyOn(node: RedisServer): Promise<string> {
  for (const key of KEYS) if ((await cluster.ownerOf(recordOf(key))) === node) return key;
  throw new Error('no key there');
}

test('keys and owners that are not UTF-8 are listed in hex, also while they are moving', async () => {
  const [from, to] = cluster.nodes;
  if (!from || !to) throw new Error('no nodes');
  const provider = openProvider(cluster.url);
  const record = Buffer.concat([Buffer.from(recordOf('')), Buffer.from('ff00fe', 'hex')]);
  const owner = cluster.nodes[Math.floor((calculateSlot(record) * 3) / 16_384)];
  if (!owner) throw new Error('no owner');
  await (await owner.client()).set(record, Buffer.from('c328', 'hex'), 'PX', 60_000);
  const expected = { keyHex: 'ff00fe', ownerHex: 'c328' };
  expect((await readAll(provider)).leases).toMatchObject([expected]);
  // It is found on a master that does not serve its slot: the one that does is asked.
  const stranger = cluster.nodes.find((node) => node !== owner);
  await (await stranger?.client())?.call(
    'CLUSTER',
    'SETSLOT',
    calculateSlot(record),
    'IMPORTING',
    await idOf(owner),
  );
  const importing = await stranger?.client();
  await importing?.call('ASKING');
  await importing?.set(record, 'stale copy', 'PX', 60_000);
  const { leases } = await readAll(provider);
  expect(leases).toMatchObject([expected]);
  await importing?.call('ASKING');
  await importing?.del(record);
  await importing?.call('CLUSTER', 'SETSLOT', calculateSlot(record), 'STABLE');
});

async function idOf(node: RedisServer): Promise<string> {
  return String(await (await node.client()).call('CLUSTER', 'MYID'));
}

describe('a master that is gone', () => {
  test('one that answers nothing costs its own slots the timeout, and is the one that is named', async () => {
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error('no nodes');
    const provider = openProvider(cluster.url, { timeoutMs: 500 });
    const [lost, left] = [await keyOn(second), await keyOn(first)];
    await provider.acquireLease(left, 'o', 60_000);
    second.pause();
    try {
      for (const verb of VERB_NAMES) {
        const error = await failureOf(VERBS[verb](provider, lost));
        expect([verb, error.message]).toEqual([verb, expect.stringContaining(`127.0.0.1:${second.port}`)]);
      }
      expect(await provider.getLeaseOwner(left)).toBe('o');
    } finally {
      second.resume();
    }
    await settle();
  });

  test('its slots are unreachable, the others work, and a listing names it after what was seen', async () => {
    await using broken = await startCluster();
    for (const node of broken.nodes) {
      await (await node.client()).config('SET', 'cluster-require-full-coverage', 'no');
    }
    const [, , victim] = broken.nodes;
    if (!victim) throw new Error('no nodes');
    const kept = openProvider(broken.url);
    for (const key of KEYS) await kept.acquireLease(key, 'o', 60_000);
    const gone = new Set<string>();
    for (const key of KEYS) if ((await broken.ownerOf(recordOf(key))) === victim) gone.add(key);
    const [lost] = gone;
    const left = KEYS.filter((key) => !gone.has(key));
    if (lost === undefined) throw new Error('no key on the victim');
    await victim.kill();
    for (const provider of [kept, openProvider(broken.url, { connection: 'one-shot' })]) {
      for (const verb of VERB_NAMES) {
        const error = await failureOf(VERBS[verb](provider, lost));
        expect([verb, error.code]).toEqual([verb, 'ERR_LEASE_UNREACHABLE']);
        expect(error.message).toMatch(/connection refused|cluster is down/i);
      }
      expect(await provider.getLeaseOwner(left[0] ?? '')).toBe('o');
      const { leases, error } = await readAll(provider);
      expect(leases.map(({ key }) => key).sort()).toEqual([...left].sort());
      expect(error).toMatchObject({
        code: 'ERR_LEASE_INCOMPLETE',
        message: expect.stringContaining(`127.0.0.1:${victim.port}`),
      });
      expect(error).toMatchObject({ message: expect.stringContaining(`${left.length} leases seen`) });
    }
    await waitFor(async () =>
      /fail /.test(String(await (await broken.nodes[0]?.client())?.call('CLUSTER', 'NODES'))),
    );
    expect(await codeOf(openProvider(broken.url).acquireLease(lost, 'o', 1_000))).toBe(
      'ERR_LEASE_UNREACHABLE',
    );
    expect(await kept.getLeaseOwner(left[0] ?? '')).toBe('o');
  });
});
