import { PubSub } from '@mastra/core/events';
import type { Redis as Ioredis, Cluster as IoredisCluster } from 'ioredis';
import type { RedisClientType, RedisClusterType, RedisSentinelType } from 'redis';
import type { LeaseProvider } from '../../../../src/lease/provider.js';

export type NodeRedisClient = RedisClientType | RedisClusterType | RedisSentinelType;

const RENEW = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
const TRANSFER = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1 end return 0`;

/** The few commands that Mastra's record needs, whichever client sends them. */
interface Commands {
  set(record: string, owner: string, ttlMs: number): Promise<boolean>;
  get(record: string): Promise<string | undefined>;
  eval(script: string, record: string, ...args: readonly string[]): Promise<boolean>;
}

/** Leases in Mastra's record, by an application's own client. */
abstract class MastraLeases extends PubSub implements LeaseProvider {
  protected abstract recordOf(key: string): string;
  protected abstract commands(): Promise<Commands>;

  async acquireLease(
    key: string,
    owner: string,
    ttlMs: number,
  ): Promise<{ acquired: boolean; owner?: string }> {
    const commands = await this.commands();
    if (await commands.set(this.recordOf(key), owner, ttlMs)) return { acquired: true, owner };
    if (await commands.eval(RENEW, this.recordOf(key), owner, String(ttlMs)))
      return { acquired: true, owner };
    const holder = await commands.get(this.recordOf(key));
    return { acquired: false, ...(holder !== undefined && { owner: holder }) };
  }

  async getLeaseOwner(key: string): Promise<string | undefined> {
    return (await this.commands()).get(this.recordOf(key));
  }

  async releaseLease(key: string, owner: string): Promise<void> {
    await (await this.commands()).eval(RELEASE, this.recordOf(key), owner);
  }

  async renewLease(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return (await this.commands()).eval(RENEW, this.recordOf(key), owner, String(ttlMs));
  }

  async transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<boolean> {
    return (await this.commands()).eval(TRANSFER, this.recordOf(key), fromOwner, toOwner, String(ttlMs));
  }

  async publish(): Promise<void> {}
  async subscribe(): Promise<void> {}
  async unsubscribe(): Promise<void> {}
  async flush(): Promise<void> {}
}

/** Built like Mastra's `RedisStreamsPubSub`: private fields, connects at the first call. */
export class NodeRedisPubSub extends MastraLeases {
  #writeClient: NodeRedisClient;
  #keyPrefix: string;

  constructor(client: NodeRedisClient, keyPrefix = 'mastra:topic') {
    super();
    this.#writeClient = client;
    this.#keyPrefix = keyPrefix;
    client.on('error', () => {});
  }

  protected recordOf(key: string): string {
    return `${this.#keyPrefix}:lease:${key}`;
  }

  protected async commands(): Promise<Commands> {
    const client = this.#writeClient;
    if (!client.isOpen) await client.connect();
    return {
      set: async (record, owner, ttlMs) =>
        (await client.set(record, owner, {
          condition: 'NX',
          expiration: { type: 'PX', value: ttlMs },
        })) !== null,
      get: async (record) => (await client.get(record)) ?? undefined,
      eval: async (script, record, ...args) =>
        (await client.eval(script, { keys: [record], arguments: [...args] })) === 1,
    };
  }

  async close(): Promise<void> {
    if (this.#writeClient.isOpen) await this.#writeClient.close();
  }
}

/** By ioredis, with fields that only TypeScript calls private. */
export class IoredisPubSub extends MastraLeases {
  private readonly keyPrefix: string;
  private readonly redis: Ioredis | IoredisCluster;

  constructor(redis: Ioredis | IoredisCluster, keyPrefix = 'mastra:topic') {
    super();
    this.redis = redis;
    this.keyPrefix = keyPrefix;
    redis.on('error', () => {});
  }

  protected recordOf(key: string): string {
    return `${this.keyPrefix}:lease:${key}`;
  }

  protected async commands(): Promise<Commands> {
    const { redis } = this;
    return {
      set: async (record, owner, ttlMs) => (await redis.set(record, owner, 'PX', ttlMs, 'NX')) === 'OK',
      get: async (record) => (await redis.get(record)) ?? undefined,
      eval: async (script, record, ...args) => (await redis.eval(script, 1, record, ...args)) === 1,
    };
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }
}
