import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';

const LEASES = 20_000;
const CHILD = fileURLToPath(new URL('./heap-child.js', import.meta.url));

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  const client = await redis.client();
  await client.eval(
    `for i = 1, ${LEASES} do
       redis.call('SET', 'mastra:topic:lease:user-' .. i .. '\\0thread-' .. i, 'run-' .. i, 'PX', 600000)
     end`,
    0,
  );
});
afterAll(() => redis.stop());

async function bytesPerLease(how: 'list' | 'watch'): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    CHILD,
    how,
    redis.url,
    String(LEASES),
  ]);
  return Number(stdout);
}

it('keeps of a lease that was listed no more than that it was seen', async () => {
  expect(await bytesPerLease('list')).toBeLessThan(200);
});

it('keeps of a lease that is watched less than 400 bytes', async () => {
  expect(await bytesPerLease('watch')).toBeLessThan(400);
});
