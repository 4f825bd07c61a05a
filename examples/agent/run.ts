import { setTimeout as sleep } from 'node:timers/promises';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { EventEmitterPubSub } from '@mastra/core/events';
import { MockLanguageModelV3 } from 'ai/test';
import { LeaseError } from 'mastra-lease';
import { RedisLeaseProvider } from 'mastra-lease/redis';

/** Mastra's default pubsub, but its leases are in Redis, where other processes see them. Events stay in this process. */
class RedisLeasePubSub extends EventEmitterPubSub {
  readonly #provider: RedisLeaseProvider;

  constructor(provider: RedisLeaseProvider) {
    super();
    this.#provider = provider;
  }

  override acquireLease(key: string, owner: string, ttlMs: number) {
    return this.#provider.acquireLease(key, owner, ttlMs);
  }

  override getLeaseOwner(key: string) {
    return this.#provider.getLeaseOwner(key);
  }

  override releaseLease(key: string, owner: string) {
    return this.#provider.releaseLease(key, owner);
  }

  override renewLease(key: string, owner: string, ttlMs: number) {
    return this.#provider.renewLease(key, owner, ttlMs);
  }

  override transferLease(key: string, fromOwner: string, toOwner: string, ttlMs: number) {
    return this.#provider.transferLease(key, fromOwner, toOwner, ttlMs);
  }
}

/** A model that needs no API key: it counts the seconds. */
class CountingModel extends MockLanguageModelV3 {
  override doGenerate = () => Promise.reject(new Error('This model only streams'));
  override doStream = async () => ({ stream: ReadableStream.from(countTo(seconds)) });
}

async function* countTo(last: number) {
  yield { type: 'text-start', id: 'count' } as const;
  for (let second = 1; second <= last; second += 1) {
    await sleep(1000);
    yield { type: 'text-delta', id: 'count', delta: `${second} ` } as const;
  }
  yield { type: 'text-end', id: 'count' } as const;
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: last, text: last, reasoning: 0 },
    },
  } as const;
}

const seconds = Number(process.argv[2] ?? 60);
const provider = new RedisLeaseProvider({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379/0' });
const model = new CountingModel();
const counter = new Agent({ id: 'counter', name: 'Counter', instructions: 'Count the seconds.', model });
const mastra = new Mastra({ agents: { counter }, pubsub: new RedisLeasePubSub(provider), logger: false });

// The runtime takes an acquire that fails for one that won, and would run without a lease: look first.
const leaseKey = 'user-42\0t-1';
try {
  await provider.getLeaseOwner(leaseKey);
  await runOnce();
} catch (error) {
  if (!(error instanceof LeaseError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await provider.close();
}

async function runOnce(): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());

  const run = await mastra.getAgent('counter').stream('Please count.', {
    memory: { thread: 't-1', resource: 'user-42' },
    abortSignal: stop.signal,
  });
  // The runtime starts a run even when it did not get the lease, so its start proves nothing: ask.
  process.stdout.write(`run ${run.runId}\nlease held by ${await provider.getLeaseOwner(leaseKey)}\n`);

  for await (const text of run.textStream) process.stdout.write(text);

  // The runtime gives the lease back in the background once the stream has ended.
  let owner = await provider.getLeaseOwner(leaseKey);
  while (owner === run.runId) {
    await sleep(20);
    owner = await provider.getLeaseOwner(leaseKey);
  }
  process.stdout.write(`\nended, lease ${owner === undefined ? 'free' : `held by ${owner}`}\n`);
}
