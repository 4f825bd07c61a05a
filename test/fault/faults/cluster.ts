import { recordOf } from '../../cli/lease-site.js';
import { type RedisCluster, type RedisServer, startCluster } from '../../support/redis-server.js';
import { waitFor } from '../../support/wait-for.js';
import type { Fault, Held, Scene } from '../fault.js';
import { redisTruth } from '../redis-truth.js';

/** What puts all keys of the cells into one slot. */
const TAG = 'one-slot';

type Move = Awaited<ReturnType<RedisCluster['beginSlotMove']>>;

interface ClusterRig extends AsyncDisposable {
  readonly cluster: RedisCluster;
  readonly truth: Scene['truth'];
  readonly owner: RedisServer;
  /** Begins to move the slot. */
  beginMove(): Promise<Move>;
  /** The other node decides from now on. */
  handOver(): void;
}

async function startRig(): Promise<ClusterRig> {
  const cluster = await startCluster();
  const record = recordOf(`{${TAG}}`);
  const owner = await cluster.ownerOf(record);
  const other = await cluster.strangerTo(record);
  let decides = owner;
  const truth = await redisTruth({ servers: cluster.nodes, primary: () => decides });
  return {
    cluster,
    truth,
    owner,
    beginMove: () => cluster.beginSlotMove(record, other),
    handOver: () => {
      decides = other;
    },
    [Symbol.asyncDispose]: async () => {
      truth[Symbol.dispose]();
      await cluster.stop();
    },
  };
}

export const CLUSTER_FAULTS: readonly Fault[] = [
  {
    name: 'cluster slot moved',
    sentence: 'the slot of the key has moved to another master (MOVED)',
    hashTag: TAG,
    arrange: async () => {
      const rig = await startRig();
      return {
        ...rig,
        way: async () => ({ backend: rig.cluster.url }),
        strike: async () => {
          await (await rig.beginMove()).finish();
          rig.handOver();
        },
      };
    },
  },
  {
    name: 'cluster slot on its way',
    sentence: 'the slot of the key is being moved, and its leases are on the new master already (ASK)',
    hashTag: TAG,
    arrange: async () => {
      const rig = await startRig();
      let move: Move | undefined;
      return {
        ...rig,
        way: async () => ({ backend: rig.cluster.url }),
        strike: async () => {
          move = await rig.beginMove();
          await move.moveKeys();
        },
        heal: async () => {
          await move?.finish();
          rig.handOver();
        },
      };
    },
  },
  {
    name: 'cluster master down',
    sentence: 'the master that has the key is killed, and nobody takes its place',
    hashTag: TAG,
    arrange: async () => {
      const rig = await startRig();
      const { cluster, owner, truth } = rig;
      const last = new Map<string, Held>();
      return {
        ...rig,
        way: async () => ({ backend: cluster.url }),
        strike: async () => {
          await owner.kill();
          const survivor = cluster.nodes.find((node) => node !== owner);
          const client = await survivor?.client();
          await waitFor(
            async () => String(await client?.call('CLUSTER', 'INFO')).includes('cluster_state:fail'),
            {
              deadlineMs: 20_000,
              what: 'the cluster to notice',
            },
          );
        },
        truth: {
          hold: truth.hold,
          // Nobody can change what died with its server.
          read: async (key) => {
            const held = owner.isRunning ? await truth.read(key) : last.get(key);
            if (held) last.set(key, held);
            return held;
          },
        },
      };
    },
  },
];
