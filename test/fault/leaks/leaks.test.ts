import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { recordOf } from '../../cli/lease-site.js';
import { startWatch } from '../../cli/watch-run.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { startLeakProcess } from './leak-process.js';
import type { LeakPlan, Sample } from './leak-protocol.js';

/** `npm run leaks` sets them: how often each verb is used, and how long changes are followed. */
const CYCLES = Number(process.env.LEAK_CYCLES ?? 500);
const WATCH_S = Number(process.env.LEAK_WATCH_S ?? 8);
/** The server is restarted so often, in seconds. */
const RESTART_S = Number(process.env.LEAK_RESTART_S ?? 4);
const CHANGES_PER_S = 500;

const MIB = 2 ** 20;
/** What a heap may grow by, whatever it did: compiled code and caches that fill up once. */
const SETTLING_BYTES = 1.5 * MIB;
/** What a cycle of a dozen calls may leave behind: less than the smallest object. */
const BYTES_A_CYCLE = 30;

function expectFlat(samples: readonly Sample[], allowedBytes: number): void {
  const [first, last] = [samples[0], samples.at(-1)];
  expect(samples.map(({ handles }) => handles)).toEqual(samples.map(() => first?.handles));
  expect(samples.map(({ listeners }) => listeners)).toEqual(samples.map(() => first?.listeners));
  const grownBytes = (last?.heapBytes ?? 0) - (first?.heapBytes ?? 0);
  expect(grownBytes, samples.map(({ heapBytes }) => Math.round(heapBytes / 1_024)).join(', ')).toBeLessThan(
    allowedBytes,
  );
}

describe('heap, handles and listeners are flat', () => {
  test.each(['redis, kept', 'redis, one-shot', 'sqlite'])(
    `after ${CYCLES} cycles of every verb of the library on %s`,
    async (backend) => {
      await using server = await startRedis();
      await using directory = await makeTempDir();
      const plan: LeakPlan = {
        kind: 'verbs',
        backend: backend === 'sqlite' ? `sqlite:${join(directory.path, 'leases.db')}` : server.url,
        connection: backend === 'redis, one-shot' ? 'one-shot' : 'kept',
        cycles: CYCLES,
      };
      await using leaking = startLeakProcess(plan);
      await leaking.end(60_000 + CYCLES * 100);
      expect(leaking.output).toBe('');
      expect(leaking.samples).toHaveLength(6);
      expectFlat(leaking.samples, SETTLING_BYTES + CYCLES * BYTES_A_CYCLE);
    },
    120_000 + CYCLES * 100,
  );

  test(
    `while ${CHANGES_PER_S} changes a second are followed for ${WATCH_S} s, with a restart of the server every ${RESTART_S} s`,
    async () => {
      await using server = await startRedis();
      await using library = startLeakProcess({ kind: 'watch', backend: server.url });
      await using program = await startWatch([], { backend: server.url });
      const { pid } = program.running.child;
      await waitFor(() => library.timesLive > 0, { deadlineMs: 20_000, what: 'the view to be live' });
      await change(server, RESTART_S);
      await library.sample();
      const [residentBefore, filesBefore] = [await residentBytes(pid), await openFiles(pid)];
      for (let second = 0; second < WATCH_S; second += RESTART_S) {
        const lives = library.timesLive;
        await server.restart();
        await waitFor(() => library.timesLive > lives, {
          deadlineMs: 20_000,
          what: 'the view to be live again',
        });
        await program.next({ type: 'backend-up' });
        await change(server, RESTART_S);
      }
      const last = await library.sample();
      const resident = await residentBytes(pid);
      expect(library.samples[0]?.handles).toEqual(last.handles);
      expectFlat(library.samples, SETTLING_BYTES);
      expect(await openFiles(pid)).toBe(filesBefore);
      expect(resident - residentBefore).toBeLessThan(40 * MIB);
      await library.end(20_000);
      expect(library.output).toBe('');
      expect((await program.stop('SIGTERM')).exitCode).toBe(143);
    },
    120_000 + WATCH_S * 3_000,
  );
});

/** Claims, renewals, transfers and releases of the same few leases, as fast as is asked, for so long. */
async function change(server: RedisServer, seconds: number): Promise<void> {
  const client = await server.client();
  const endsAt = performance.now() + seconds * 1_000;
  const everyMs = 50;
  const count = (CHANGES_PER_S * everyMs) / 1_000;
  for (let turn = 0; performance.now() < endsAt; turn += 1) {
    const pipeline = client.pipeline();
    for (let index = 0; index < count; index += 1) {
      const record = recordOf(`user-${(turn + index) % 40}\0t-${index}`);
      if ((turn + index) % 3 === 0) pipeline.del(record);
      else pipeline.set(record, `run-${turn % 7}`, 'PX', 15_000);
    }
    await pipeline.exec();
    await sleep(everyMs);
  }
  client.disconnect();
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

async function openFiles(pid: number | undefined): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}
