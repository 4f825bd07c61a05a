import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/conformance/random.js';
import { startLease } from '../cli/lease-cli.js';
import { recordOf } from '../cli/lease-site.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

const LEASES = 20_000;

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
  const fill = `for i = 1, ${LEASES} do redis.call('set', ARGV[1] .. i, 'run-' .. i, 'PX', 3600000) end`;
  await (await server.client()).eval(fill, 0, recordOf('key-'));
});
afterAll(() => server.stop());

const LOSSES: Readonly<Record<string, (proxy: TcpProxy) => void>> = {
  'is cut once': (proxy) => proxy.cut(),
  'is cut, and refused from then on': (proxy) => {
    proxy.refuseNew();
    proxy.cut();
  },
  'goes silent': (proxy) => proxy.pause(),
  'loses one answer': (proxy) => void proxy.dropNextReply(),
  'loses one answer, and stays open': (proxy) => void proxy.dropNextReply({ outcome: 'hang' }),
};

test.concurrent.for(Object.entries(LOSSES))(
  'a listing whose connection %s half-way has every lease, or says that it has not',
  { timeout: 60_000 },
  async ([name, lose], { expect }) => {
    const random = seededRandom(name.length);
    for (let round = 0; round < 2; round += 1) {
      await using proxy = await startTcpProxy(server);
      proxy.setRoundTripMs(60);
      await using listing = await startLease(['list', '--json', '--timeout', '4s'], {
        backend: proxy.url,
        timeoutMs: 40_000,
      });
      const half = Math.floor(LEASES * (0.1 + random.next() / 2));
      const seen = () => listing.output.stdout.split('\n').length;
      await waitFor(() => seen() > half || listing.child.exitCode !== null, {
        deadlineMs: 20_000,
        everyMs: 5,
      });
      lose(proxy);
      const result = await listing.done;
      const lines = result.json();
      const keys = new Set(lines.slice(0, -1).map(({ key }) => key));
      const end = lines.at(-1);
      expect(keys.size).toBe(lines.length - 1);
      if (result.exitCode === 0) {
        expect(end).toMatchObject({ complete: true, total: LEASES });
        expect(keys.size).toBe(LEASES);
      } else {
        expect({ exitCode: result.exitCode, end }).toMatchObject({ exitCode: 7, end: { complete: false } });
        expect(result.stderr).toMatch(/^error [^\n]+\n$/);
      }
    }
  },
);

test('the same listing, with nothing lost, is whole', async () => {
  await using listing = await startLease(['list', '--json'], { backend: server.url, timeoutMs: 40_000 });
  expect((await listing.done).json().at(-1)).toMatchObject({ complete: true, total: LEASES });
});
