import { join } from 'node:path';
import { EventEmitterPubSub } from '@mastra/core/events';
import type { ConformanceOptions, ProviderFactory } from '../../src/conformance/options.js';
import { MemoryLeaseProvider } from '../../src/providers/memory.js';
import { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { SqliteLeaseProvider } from '../../src/providers/sqlite/index.js';
import { RedisStreamsPubSub } from '../fixtures/redis-streams/redis-streams-pubsub.js';
import { startCluster, startRedis } from '../support/redis-server.js';
import { makeTempDir } from '../support/temp-dir.js';
import { startProviderProcess } from './provider-process.js';

/** A provider that is right, running. */
interface RightProvider {
  readonly factory: ProviderFactory;
  readonly options: ConformanceOptions;
  stop(): Promise<void>;
}

/** The providers that must fail no clause, each with what it runs on. */
export const RIGHT_PROVIDERS: Readonly<Record<string, () => Promise<RightProvider>>> = {
  memory: async () => ({ factory: () => new MemoryLeaseProvider(), options: {}, stop: async () => {} }),

  SQLite: async () => {
    const directory = await makeTempDir();
    const path = join(directory.path, 'leases.db');
    return {
      factory: () => new SqliteLeaseProvider({ path, busyTimeoutMs: 10_000 }),
      options: { startProcess: () => startProviderProcess({ kind: 'sqlite', path }) },
      stop: () => directory.remove(),
    };
  },

  Redis: async () => {
    const server = await startRedis();
    return onRedis(server.url, () => server.stop());
  },

  'Redis Cluster': async () => {
    const cluster = await startCluster(3);
    return onRedis(cluster.url, () => cluster.stop());
  },

  'EventEmitterPubSub of @mastra/core': async () => ({
    factory: () => new EventEmitterPubSub(),
    options: {},
    stop: async () => {},
  }),

  'the node-redis fixture (RedisStreamsPubSub)': async () => {
    const server = await startRedis();
    const { url } = server;
    return {
      factory: () => new RedisStreamsPubSub({ url }),
      options: { startProcess: () => startProviderProcess({ kind: 'redis-streams', url }) },
      stop: () => server.stop(),
    };
  },
};

function onRedis(url: string, stop: () => Promise<void>): RightProvider {
  const keyPrefix = 'conformance';
  return {
    factory: () => new RedisLeaseProvider({ url, keyPrefix, timeoutMs: 10_000 }),
    options: { startProcess: () => startProviderProcess({ kind: 'redis', url, keyPrefix }) },
    stop,
  };
}
