import type { Redis } from 'ioredis';
import { recordOf } from '../cli/lease-site.js';
import { ExecutedWrites } from '../support/executed-writes.js';
import type { RedisServer } from '../support/redis-server.js';
import type { Truth } from './fault.js';

/** Longer than any run of the matrix takes: no lease of it ends by itself. */
const HELD_MS = 120_000;

interface TruthOptions {
  /** Every server that may be asked to change a lease. */
  readonly servers: readonly RedisServer[];
  /** Which of them decides now. */
  readonly primary: () => RedisServer;
  readonly leaseMs?: number;
}

/** The truth of Redis servers, by clients that the fault does not touch. */
export async function redisTruth({
  servers,
  primary,
  leaseMs = HELD_MS,
}: TruthOptions): Promise<Truth & Disposable> {
  const clients = new Map<RedisServer, Redis>();
  const writes = new Map<RedisServer, ExecutedWrites>();
  for (const server of servers) {
    clients.set(server, await server.client());
    writes.set(server, await ExecutedWrites.of(server));
  }
  function client(): Redis {
    const found = clients.get(primary());
    if (!found) throw new Error('The primary is none of the servers');
    return found;
  }
  return {
    hold: async (key, owner) => {
      await client().set(recordOf(key), owner, 'PX', leaseMs);
    },
    read: async (key) => {
      const [owner, leftMs] = [await client().get(recordOf(key)), await client().pttl(recordOf(key))];
      return owner === null ? undefined : { owner, leftMs };
    },
    effectsOn: async (key) => {
      let effects = 0;
      for (const [server, executed] of writes) {
        if (server.isRunning) effects += await executed.count(recordOf(key));
      }
      return effects;
    },
    [Symbol.dispose]: () => {
      for (const executed of writes.values()) executed[Symbol.dispose]();
    },
  };
}
