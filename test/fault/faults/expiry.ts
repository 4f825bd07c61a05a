import { startRedis } from '../../support/redis-server.js';
import { waitFor } from '../../support/wait-for.js';
import { type Fault, SECRET } from '../fault.js';
import { redisTruth } from '../redis-truth.js';

const OTHERS = 300_000;
const LEASE_MS = 1_500;

export const EXPIRY_FAULTS: readonly Fault[] = [
  {
    name: 'expired, not yet deleted',
    sentence: `the leases have expired among ${OTHERS.toLocaleString('en')} other keys that expire: the server has not deleted them yet`,
    losesLeases: true,
    arrange: async () => {
      const server = await startRedis({ password: SECRET });
      const client = await server.client();
      const fill = `for i = 1, ${OTHERS} do redis.call('set', 'other:' .. i, 'x', 'PX', 3600000 + i) end`;
      await client.eval(fill, 0);
      const truth = await redisTruth({ servers: [server], primary: () => server, leaseMs: LEASE_MS });
      let heldAt = 0;
      return {
        truth: {
          ...truth,
          hold: async (key, owner) => {
            await truth.hold(key, owner);
            heldAt = performance.now();
          },
        },
        way: async () => ({ backend: server.url }),
        strike: async () => {
          await waitFor(() => performance.now() - heldAt > LEASE_MS, { what: 'the leases to expire' });
        },
        [Symbol.asyncDispose]: async () => {
          truth[Symbol.dispose]();
          await server.stop();
        },
      };
    },
  },
];
