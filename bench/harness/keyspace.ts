import type { Redis } from 'ioredis';

/** How many keys one script makes. */
const BATCH = 20_000;
/** Long enough to outlast a part, in milliseconds. */
const TTL_MS = 3_600_000;

const MAKE_LEASES = `for i = ARGV[1], ARGV[2] do
  redis.call('SET', 'mastra:topic:lease:user-' .. i .. '\\0thread-' .. i, 'run-' .. i, 'PX', ARGV[3])
end`;
const MAKE_OTHERS = `for i = ARGV[1], ARGV[2] do redis.call('SET', 'cache:page:' .. i, 'value-' .. i) end`;

/** Empties the server and fills it with leases of threads, and other keys. */
export async function fill(
  client: Redis,
  { leases, others }: { leases: number; others: number },
): Promise<void> {
  await client.flushall();
  await make(client, MAKE_LEASES, leases);
  await make(client, MAKE_OTHERS, others);
}

async function make(client: Redis, script: string, count: number): Promise<void> {
  for (let first = 1; first <= count; first += BATCH) {
    await client.eval(script, 0, first, Math.min(count, first + BATCH - 1), TTL_MS);
  }
}
