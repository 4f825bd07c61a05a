import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { runCli } from '../support/run-cli.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

let redis: RedisServer;
let proxy: TcpProxy;

beforeAll(async () => {
  redis = await startRedis();
  proxy = await startTcpProxy(redis);
});
afterEach(() => proxy.clear());
afterAll(async () => {
  await proxy.stop();
  await redis.stop();
});

function bytesSent(): number {
  return proxy.writes.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function commandsSent(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name = ''] of proxy.commands) {
    counts[name.toLowerCase()] = (counts[name.toLowerCase()] ?? 0) + 1;
  }
  return counts;
}

async function fill({ leases, others }: { leases: number; others: number }): Promise<void> {
  const client = await redis.client();
  await client.flushall();
  await client.eval(
    `for i = 1, ${leases} do redis.call('SET', 'mastra:topic:lease:k' .. i, 'run-' .. i, 'PX', 600000) end
     for i = 1, ${others} do redis.call('SET', 'other:' .. i, 'v') end`,
    0,
  );
}

describe('what a command sends', () => {
  // The text of its script, which a server need not know yet; and the key, owner and TTL.
  it.each([
    ['owner', ['owner', 'deploy'], 210],
    ['acquire', ['acquire', 'deploy', '--owner', 'run-1', '--ttl', '20s'], 430],
    ['renew', ['renew', 'deploy', '--owner', 'run-1', '--ttl', '20s'], 350],
    ['transfer', ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2', '--ttl', '20s'], 380],
    ['release', ['release', 'deploy', '--owner', 'run-2'], 300],
  ] as const)('is one write of few bytes: %s', async (_, args, most) => {
    const { exitCode } = await runCli(args, { env: { MASTRA_LEASE_BACKEND: proxy.url } });
    expect(exitCode).toBeLessThanOrEqual(4);
    expect(proxy.writes.length).toBe(1);
    expect(bytesSent()).toBeLessThanOrEqual(most);
  });
});

describe('what the library sends on a connection that stays', () => {
  it('is under 200 bytes a call by itself, and under 150 of many in one tick', async () => {
    await fill({ leases: 0, others: 0 });
    const provider = new RedisLeaseProvider({ url: proxy.url });
    try {
      await provider.acquireLease('deploy', 'run-1', 60_000);
      proxy.clear();
      await provider.renewLease('deploy', 'run-1', 60_000);
      expect(bytesSent()).toBeLessThan(200);
      proxy.clear();
      await Promise.all(Array.from({ length: 100 }, () => provider.renewLease('deploy', 'run-1', 60_000)));
      expect(proxy.writes.length).toBeLessThan(5);
      expect(bytesSent() / 100).toBeLessThan(150);
    } finally {
      await provider.close();
    }
  });

  it('is a step for 1,600 keys, or for 100 leases, of a listing', async () => {
    const provider = new RedisLeaseProvider({ url: proxy.url });
    const listAll = async () => {
      proxy.clear();
      let leases = 0;
      for await (const _ of provider.listLeases()) leases += 1;
      return leases;
    };
    try {
      await fill({ leases: 100, others: 40_000 });
      await listAll();
      expect(await listAll()).toBe(100);
      expect(commandsSent().evalsha).toBeLessThanOrEqual(28);
      await fill({ leases: 4_000, others: 0 });
      expect(await listAll()).toBe(4_000);
      expect(commandsSent().evalsha).toBeLessThanOrEqual(44);
    } finally {
      await provider.close();
    }
  });

  it('is one GET and one PTTL for each change of what is watched', async () => {
    await fill({ leases: 500, others: 0 });
    const client = await redis.client();
    const provider = new RedisLeaseProvider({ url: proxy.url });
    const ending = new AbortController();
    const changed = new Set<string>();
    try {
      for await (const change of provider.watchLeases({ signal: ending.signal })) {
        if (change.kind === 'live') {
          proxy.clear();
          changed.clear();
          for (let n = 1; n <= 200; n += 1) await client.pexpire(`mastra:topic:lease:k${n}`, 700_000);
        } else if (change.kind === 'held') {
          for (const { key, remainingMs } of change.leases)
            if ((remainingMs ?? 0) > 600_000) changed.add(key);
          if (changed.size === 200) ending.abort();
        }
      }
      const { get = 0, pttl = 0 } = commandsSent();
      expect({ get, pttl }).toEqual({ get: 200, pttl: 200 });
    } finally {
      await provider.close();
    }
  });
});
