import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { SqliteLeaseProvider } from '../../src/providers/sqlite/index.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { makeTempDir } from '../support/temp-dir.js';

/** A backend that the tests see from the other side, as the application whose leases they are. */
export interface LeaseSite extends AsyncDisposable {
  /** As `--backend` takes it. */
  readonly name: string;
  /** What its answers are said to come from. */
  readonly source: string;
  /** Holds a key, in the record that the application writes. */
  hold(key: string, owner: string, ttlMs?: number): Promise<void>;
  /** Who holds a key, and for how many milliseconds more. */
  read(key: string): Promise<{ readonly owner: string; readonly leftMs: number } | undefined>;
  /** The keys that are held. */
  heldKeys(): Promise<readonly string[]>;
  clear(): Promise<void>;
}

/** The record's name that Mastra gives a lease. */
export function recordOf(key: string, prefix = 'mastra:topic'): string {
  return `${prefix}:lease:${key}`;
}

export interface RedisSite extends LeaseSite {
  readonly server: RedisServer;
  readonly client: Redis;
}

export async function openRedisSite(): Promise<RedisSite> {
  const server = await startRedis();
  const client = await server.client();
  return {
    name: server.url,
    source: `${server.url}/0 primary · mastra:topic`,
    server,
    client,
    hold: async (key, owner, ttlMs = 60_000) => {
      await client.set(recordOf(key), owner, 'PX', ttlMs);
    },
    read: async (key) => {
      const [owner, leftMs] = [await client.get(recordOf(key)), await client.pttl(recordOf(key))];
      return owner === null ? undefined : { owner, leftMs };
    },
    heldKeys: async () => (await client.keys('*')).map((record) => record.slice(recordOf('').length)).sort(),
    clear: async () => {
      await client.flushall();
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

export async function openSqliteSite(): Promise<LeaseSite> {
  const directory = await makeTempDir();
  const path = join(directory.path, 'leases.db');
  const leases = new SqliteLeaseProvider({ path });
  await leases.tryRelease('none', 'nobody');
  return {
    name: `sqlite:${path}`,
    source: `sqlite:${path}`,
    hold: async (key, owner, ttlMs = 60_000) => {
      await leases.tryAcquire(key, owner, ttlMs);
    },
    read: async (key) => {
      const lease = await leases.readLease(key);
      return lease && { owner: lease.owner, leftMs: lease.remainingMs ?? -1 };
    },
    heldKeys: async () => {
      const keys: string[] = [];
      for await (const { key } of leases.listLeases()) keys.push(key);
      return keys.sort();
    },
    clear: async () => {
      for await (const { key, owner } of leases.listLeases()) await leases.tryRelease(key, owner);
    },
    async [Symbol.asyncDispose]() {
      await leases.close();
      await directory.remove();
    },
  };
}
