import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inspectThread, noopLeaseProvider } from '../../../src/index.js';
import { MemoryLeaseProvider } from '../../../src/providers/memory.js';
import { RedisLeaseProvider } from '../../../src/providers/redis/index.js';
import { type MadeEvent, writeHistory } from '../../redis/thread-events.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';

const THREAD = { resource: 'user-42', thread: 't-1' };
const KEY = 'user-42\0t-1';

describe('on Redis', () => {
  let server: RedisServer;
  let provider: RedisLeaseProvider;

  beforeAll(async () => {
    server = await startRedis();
  });
  beforeEach(async () => {
    const client = await server.client();
    await client.flushall();
    const registered: MadeEvent = { type: 'run-registered', runId: 'run-1', sourceId: 'pod-1' };
    await writeHistory(client, KEY, [[90_000, registered]]);
    client.disconnect();
    provider = new RedisLeaseProvider({ url: server.url });
    return () => provider.close();
  });
  afterAll(() => server.stop());

  it('tells what the lease and the events say, and what to do', async () => {
    await provider.acquireLease(KEY, 'run-1', 15_000);
    const seen = await inspectThread(provider, THREAD);
    expect(seen).toMatchObject({
      verdict: 'silent',
      key: KEY,
      facts: { lease: { owner: 'run-1' }, evidence: 'read', activity: { length: 1 } },
      next: [{ kind: 'abort', runId: 'run-1', process: 'pod-1' }, { kind: 'logs' }, { kind: 'release' }],
      related: [],
    });
    expect(seen.facts.renewals).toBeUndefined();
    expect(await inspectThread(provider, KEY, { silentAfterMs: 600_000 })).toMatchObject({
      verdict: 'working',
    });
    expect(await inspectThread(provider, THREAD, { ttlMs: 60_000 })).toMatchObject({ verdict: 'late' });
  });

  it('watches for renewals where that is asked for', async () => {
    await provider.acquireLease(KEY, 'run-1', 15_000);
    const renewing = setInterval(() => void provider.renewLease(KEY, 'run-1', 15_000), 150);
    const { facts } = await inspectThread(provider, THREAD, { observeMs: 800 });
    clearInterval(renewing);
    expect(facts.renewals?.seen).toBeGreaterThanOrEqual(1);
  });

  it('is no verdict where the server is not there, or when it is stopped', async () => {
    const away = new RedisLeaseProvider({ url: 'redis://127.0.0.1:1' });
    await expect(inspectThread(away, THREAD)).rejects.toMatchObject({ code: 'ERR_LEASE_UNREACHABLE' });
    await away.close();
    const reason = new Error('enough');
    await expect(inspectThread(provider, THREAD, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const stop = new AbortController();
    const watching = inspectThread(provider, THREAD, { observeMs: 60_000, signal: stop.signal });
    setTimeout(() => stop.abort(reason), 100);
    await expect(watching).rejects.toBe(reason);
    await expect(inspectThread(provider, '')).rejects.toMatchObject({ code: 'ERR_LEASE_INVALID_KEY' });
  });
});

it('tells of a provider without events what the lease says', async () => {
  const provider = new MemoryLeaseProvider();
  await provider.acquireLease(KEY, 'run-1', 15_000);
  expect(await inspectThread(provider, THREAD)).toMatchObject({
    verdict: 'unknown',
    facts: { lease: { owner: 'run-1' }, evidence: 'unavailable' },
  });
  await provider.close();
});

it('tells of a provider that keeps the contract alone who owns it', async () => {
  const provider = { ...noopLeaseProvider, getLeaseOwner: async () => 'run-1' };
  const { facts } = await inspectThread(provider, THREAD);
  expect(facts.lease).toEqual({ key: KEY, owner: 'run-1' });
});
