import type { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { startWatch } from '../cli/watch-run.js';
import { startRedis } from '../support/redis-server.js';
import { waitFor } from '../support/wait-for.js';
import { startThreadAgent } from './thread-agent.js';

vi.setConfig({ testTimeout: 60_000 });

/** Renewed often, so that a busy machine costs no lease. */
const TIMES = { ttlMs: 9_000, renewEveryMs: 500 };
const THREAD = 't-1';
const STREAM = 'mastra:topic:agent.thread-stream.user-42%00t-1';

test('a follow-up sent to the second of two processes goes to the first, whose hand-over to its run is one transferred', async () => {
  await using redis = await startRedis();
  await using first = await startThreadAgent(redis.url, TIMES);
  await using second = await startThreadAgent(redis.url, TIMES);
  await using watch = await startWatch([], { backend: redis.url });

  // The runtime gives a message to the run that goes on, while it has another step to make; after that it waits for the
  // end, and the run that takes it gets the lease from the one that ends.
  const run = await first.ask('run', THREAD, 'finish');
  await watch.next({ type: 'acquired', owner: run });
  await watch.next({ type: 'renewed', owner: run });
  expect(await second.ask('send', THREAD, 'count')).toBe(run);
  await untilRead(await redis.client());

  await first.ask('end', THREAD);
  const { owner: next } = await watch.next({ type: 'transferred', previousOwner: run });
  expect(next).toMatch(/^[0-9a-f-]{36}$/);
  await watch.next({ type: 'renewed', owner: next });
  // It runs where the first one did: that process alone knows it and can end it without asking another.
  expect(await second.ask('abort', THREAD)).toBe('false');
  expect(await first.ask('abort', THREAD)).toBe('true');
  await watch.next({ type: 'released', owner: next });
  await watch.stop();

  const told = watch.events.filter(({ thread, type }) => thread === THREAD && type !== 'renewed');
  expect(told).toMatchObject([
    { type: 'acquired', key: 'user-42\\0t-1', kind: 'thread', resource: 'user-42', owner: run },
    { type: 'transferred', owner: next, previousOwner: run, inferred: ['expiresAt'] },
    { type: 'released', owner: next },
  ]);
});

/** Waits until every process that follows the thread has read what was sent to it so far. */
async function untilRead(client: Redis): Promise<void> {
  const [last] = await client.xrevrange(STREAM, '+', '-', 'COUNT', 1);
  if (!last) throw new Error('Nothing was sent');
  await waitFor(
    async () => {
      const groups = await client.xinfo('GROUPS', STREAM);
      return (
        Array.isArray(groups) &&
        groups.every((fields) => fields[fields.indexOf('last-delivered-id') + 1] >= last[0])
      );
    },
    { what: 'the readers of the thread' },
  );
}
