import { stopAll } from '../../support/redis-process.js';
import { startDataServer, waitForSync } from '../../support/redis-replication.js';
import { startReplicaPair, startSentinel } from '../../support/redis-server.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';
import { type Fault, SECRET } from '../fault.js';
import { redisTruth } from '../redis-truth.js';

export const REPLICATION_FAULTS: readonly Fault[] = [
  {
    name: 'failover, and the name follows',
    sentence: 'the primary was demoted under open connections, and its name leads to the new one',
    arrange: async () => {
      const pair = await startReplicaPair();
      const servers = [pair.primary, pair.replica];
      const truth = await redisTruth({ servers, primary: () => pair.primary });
      const name = await startTcpProxy(pair.primary);
      return {
        truth,
        way: async () => ({ backend: name.url }),
        strike: async () => {
          await pair.sync();
          await pair.swapRoles();
          name.retarget(pair.primary);
        },
        [Symbol.asyncDispose]: async () => {
          truth[Symbol.dispose]();
          await name.stop();
          await pair.stop();
        },
      };
    },
  },
  {
    name: 'demoted primary',
    sentence: 'the primary was demoted under open connections, and its name stays (READONLY)',
    arrange: async () => {
      const pair = await startReplicaPair({ password: SECRET });
      const { primary: old, replica } = pair;
      const truth = await redisTruth({ servers: [old, replica], primary: () => pair.primary });
      return {
        truth,
        way: async () => ({ backend: old.url }),
        strike: async () => {
          await pair.sync();
          await pair.swapRoles();
        },
        [Symbol.asyncDispose]: async () => {
          truth[Symbol.dispose]();
          await pair.stop();
        },
      };
    },
  },
  {
    name: 'reader endpoint',
    sentence: 'the address is that of a replica which lags behind: it has none of the leases yet',
    arrange: async () => {
      const primary = await startDataServer(SECRET);
      const line = await startTcpProxy(primary);
      const replica = await startDataServer(SECRET, line.port);
      await waitForSync(replica);
      line.pause();
      const truth = await redisTruth({ servers: [primary, replica], primary: () => primary });
      return {
        truth,
        way: async () => ({ backend: replica.url }),
        [Symbol.asyncDispose]: async () => {
          truth[Symbol.dispose]();
          await line.stop();
          await stopAll([primary, replica]);
        },
      };
    },
  },
  {
    name: 'unsynced replica',
    sentence: 'the address is that of a replica before its first sync, which has nothing at all',
    arrange: async () => {
      const primary = await startDataServer(SECRET);
      // Without the password that its primary asks for it never gets to the sync.
      const replica = await startDataServer(undefined, primary.port);
      const truth = await redisTruth({ servers: [primary, replica], primary: () => primary });
      return {
        truth,
        way: async () => ({ backend: replica.url }),
        [Symbol.asyncDispose]: async () => {
          truth[Symbol.dispose]();
          await stopAll([primary, replica]);
        },
      };
    },
  },
  {
    name: 'Sentinel failover',
    sentence: 'the primary was killed, and the Sentinels have made the replica the primary',
    arrange: async () => {
      const rig = await startSentinel({ password: SECRET });
      const servers = [rig.primary, rig.replica];
      const truth = await redisTruth({ servers, primary: () => rig.primary });
      return {
        truth,
        way: async () => ({ backend: rig.url }),
        strike: async () => {
          // What is not replicated yet would be lost.
          await (await rig.primary.client()).wait(1, 0);
          await rig.failover('kill');
        },
        [Symbol.asyncDispose]: async () => {
          truth[Symbol.dispose]();
          await rig.stop();
        },
      };
    },
  },
];
