import type { Redis } from 'ioredis';
import { commonArgs, type RedisServer, startServer, stopAll } from './redis-process.js';
import { waitFor } from './wait-for.js';

const SLOTS = 16_384;

/** A slot on its way: until `finish()` its old owner answers ASK for the keys that it does not have. */
interface SlotMove {
  readonly slot: number;
  readonly from: RedisServer;
  readonly to: RedisServer;
  /** Moves the keys that the slot holds now; returns how many. */
  moveKeys(): Promise<number>;
  /** Moves what is left and tells every node the new owner: from now on the old one answers MOVED. */
  finish(): Promise<void>;
}

export interface RedisCluster extends AsyncDisposable {
  /** Masters only; each owns an equal share of the slots. */
  readonly nodes: readonly RedisServer[];
  /** `redis+cluster://host:port,…` */
  readonly url: string;
  /** The node that owns this key's slot. */
  ownerOf(key: string): Promise<RedisServer>;
  /** Some node that does not own this key's slot: it answers MOVED. */
  strangerTo(key: string): Promise<RedisServer>;
  /** Sets the key's slot importing on `to` and migrating on its owner, and moves nothing yet. */
  beginSlotMove(key: string, to: RedisServer): Promise<SlotMove>;
  stop(): Promise<void>;
}

interface Member {
  readonly server: RedisServer;
  readonly client: Redis;
  readonly id: string;
}

/** A cluster of this many masters, all slots assigned, of which every node says `cluster_state:ok`. */
export async function startCluster(masters = 3): Promise<RedisCluster> {
  const nodes = await Promise.all(Array.from({ length: masters }, startNode));
  const members = await Promise.all(nodes.map(toMember));
  const owners = Array.from({ length: SLOTS }, (_, slot) =>
    at(members, Math.floor((slot * masters) / SLOTS)),
  );
  await joinMembers(members, owners);
  const slotOf = async (key: string) => Number(await members[0]?.client.call('CLUSTER', 'KEYSLOT', key));
  const ownerOf = async (key: string) => at(owners, await slotOf(key)).server;
  const stop = () => stopAll(nodes);

  async function beginSlotMove(key: string, to: RedisServer): Promise<SlotMove> {
    const slot = await slotOf(key);
    const source = at(owners, slot);
    const target = at(members, nodes.indexOf(to));
    await target.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    const moveKeys = () => migrateKeys(source.client, slot, to);
    const finish = async () => {
      await moveKeys();
      owners[slot] = target;
      const others = members.filter((member) => member !== source && member !== target);
      for (const { client } of [target, source, ...others]) {
        await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
      }
    };
    return { slot, from: source.server, to, moveKeys, finish };
  }

  return {
    nodes,
    url: `redis+cluster://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`,
    ownerOf,
    strangerTo: async (key) => at(nodes, (nodes.indexOf(await ownerOf(key)) + 1) % nodes.length),
    beginSlotMove,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function startNode(): Promise<RedisServer> {
  return startServer({
    argv: (port, directory) => [
      ...commonArgs(port, directory),
      ...[
        '--cluster-enabled',
        'yes',
        '--cluster-config-file',
        'nodes.conf',
        '--cluster-node-timeout',
        '2000',
      ],
    ],
  });
}

async function toMember(server: RedisServer): Promise<Member> {
  const client = await server.client();
  return { server, client, id: String(await client.call('CLUSTER', 'MYID')) };
}

async function joinMembers(members: readonly Member[], owners: readonly Member[]): Promise<void> {
  const [first, ...others] = members;
  for (const [index, member] of members.entries()) {
    const slots = owners.flatMap((owner, slot) => (owner === member ? [slot] : []));
    await member.client.call('CLUSTER', 'ADDSLOTS', ...slots);
    await member.client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  for (const { server } of others) await first?.client.call('CLUSTER', 'MEET', server.host, server.port);
  await waitFor(async () => (await Promise.all(members.map(agrees))).every(Boolean), {
    deadlineMs: 30_000,
    what: 'the cluster to be ok on every node',
  });

  async function agrees({ client }: Member): Promise<boolean> {
    const info = String(await client.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${members.length}\r`);
  }
}

async function migrateKeys(source: Redis, slot: number, to: RedisServer): Promise<number> {
  let moved = 0;
  for (;;) {
    const keys = await source.callBuffer('CLUSTER', 'GETKEYSINSLOT', slot, 100);
    if (!Array.isArray(keys) || keys.length === 0) return moved;
    await source.call('MIGRATE', to.host, to.port, '', 0, 5_000, 'KEYS', ...keys);
    moved += keys.length;
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`The cluster has nothing at ${index}`);
  return item;
}
