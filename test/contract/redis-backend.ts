import { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import type { ContractBackend } from './contract-suite.js';
import { realTime } from './real-time.js';

/** Servers that are running, reached at one URL. */
export interface RunningServers {
  readonly url: string;
  stop(): Promise<void>;
}

/** Leases on real Redis servers, which stop with the backend. */
export function redisBackend(servers: RunningServers): ContractBackend {
  // With what a pattern would take for its own: the listing must not.
  const keyPrefix = 'contract[*]?';
  const { url } = servers;
  return {
    ...realTime,
    open: () => new RedisLeaseProvider({ url, keyPrefix, timeoutMs: 10_000 }),
    spec: { kind: 'redis', url, keyPrefix },
    stop: () => servers.stop(),
  };
}
