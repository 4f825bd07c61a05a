import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import type { SqliteLeaseProvider as SqliteProvider } from '../../src/providers/sqlite/index.js';
import { startRedis } from '../../test/support/redis-server.js';
import { makeTempDir } from '../../test/support/temp-dir.js';
import {
  type Held,
  type Locker,
  openOurs,
  openRedlock,
  openRedlockUniversal,
  openScripts,
} from '../harness/lockers.js';
import { openRenewals, type Renewal } from '../harness/one-renewal.js';
import { atLeast, type Findings, type Goal, type Part, round } from '../harness/part.js';
import { interleave, type Measure, type Sample } from '../harness/sample.js';

const ROUNDS = 5;
/** How long one measurement goes on, in milliseconds. */
const WINDOW_MS = 220;

export const throughputPart: Part = {
  name: 'throughput',
  title: 'Throughput of the library',
  work: 'acquire and release, renew, and a refused acquire, by 1, 16 and 256 callers on one connection: each by itself, or all in one tick and then waiting for all',
  peer: '`redlock`, `redlock-universal` (lean), and our scripts sent by the package `redis`; on files `proper-lockfile`',
  limit: 'our scripts by `redis`: the same work for the server, without role, checks and errors of ours',
  run,
};

const OPERATIONS = {
  'acquire + release': (locker: Locker) => async (caller: number) => {
    const held = await locker.acquire(`free-${caller}`);
    await held.release();
  },
  renew: (_: Locker, held: readonly Held[]) => async (caller: number) => held[caller]?.renew(),
  'contended acquire': (locker: Locker) => () => locker.contend('taken'),
} as const;

type Operation = (caller: number) => Promise<unknown>;

async function run(): Promise<Findings> {
  await using redis = await startRedis();
  const admin = await redis.client();
  const rows: string[][] = [];
  const goals: {
    readonly peer: string;
    readonly least: number;
    readonly ratio: number;
    readonly row: string;
  }[] = [];
  const points: { series: string; x: number; y: number }[] = [];
  for (const [name, makeOperation] of Object.entries(OPERATIONS)) {
    for (const callers of [1, 16, 256]) {
      for (const isBurst of callers === 1 ? [false] : [false, true]) {
        await admin.flushall();
        const samples = await compare(redis.url, callers, isBurst, makeOperation);
        const ours = samples('ours').median;
        const row = `${name}, ${callers}${isBurst ? ' in one tick' : ''}`;
        rows.push([
          row,
          ...(['ours', 'scripts', 'redlock', 'universal'] as const).map((peer) => cell(samples(peer), ours)),
        ]);
        for (const [peer, least] of [
          ['scripts', 0.9],
          ['redlock', 1.2],
          ['universal', 1.2],
        ] as const) {
          goals.push({ peer, least, row, ratio: ours / samples(peer).median });
        }
        if (!isBurst) {
          for (const series of ['ours', 'scripts', 'redlock', 'universal'] as const) {
            if (name === 'acquire + release') points.push({ series, x: callers, y: samples(series).median });
          }
        }
      }
    }
  }
  const files = await compareFiles();
  const one = await compareOne(redis.url);
  return {
    tables: [
      {
        title: 'One renewal after the other by one caller: where the time goes',
        columns: ['', 'Microseconds each'],
        rows: [
          ['a raw socket, its answer unread: the server, the kernel and the event loop', one('raw')],
          ['the same with HELLO before it', one('rawWithHello')],
          ['the package `redis`', one('redis')],
          ['the package `ioredis`, which ours, `redlock` and `redlock-universal` send with', one('ioredis')],
          ['ours: HELLO, time limit, checks', one('ours')],
        ],
      },
      {
        title: `Redis, thousand operations a second (in brackets: ours to it), medians of ${ROUNDS} interleaved rounds`,
        columns: ['Operation, callers', 'ours', 'scripts by `redis`', '`redlock`', '`redlock-universal`'],
        rows,
      },
      {
        title: 'Files, acquire and release, thousand a second',
        columns: ['', 'ours, SQLite', '`proper-lockfile`'],
        rows: [['1 caller', thousands(files('ours').median), thousands(files('lockfile').median)]],
      },
    ],
    goals: [
      worst(goals, 'redlock', '`redlock`'),
      worst(goals, 'universal', '`redlock-universal`'),
      worst(goals, 'scripts', 'the same scripts by `redis`'),
      atLeast('SQLite to `proper-lockfile`', files('ours').median / files('lockfile').median, 5, ' ×'),
    ],
    plots: [
      {
        name: 'throughput',
        title: 'Acquire and release on one connection',
        xLabel: 'callers',
        yLabel: 'pairs a second',
        isLogX: true,
        points,
      },
    ],
  };
}

const WHY_NOT_MORE =
  'each write begins with HELLO, so that an answer says whether a primary gave it: one caller alone pays it with each call';

function worst(
  goals: readonly {
    readonly peer: string;
    readonly least: number;
    readonly ratio: number;
    readonly row: string;
  }[],
  peer: string,
  name: string,
): Goal {
  const [lowest] = goals.filter((goal) => goal.peer === peer).sort((one, other) => one.ratio - other.ratio);
  if (!lowest) throw new Error(`Nothing was compared with ${peer}`);
  return atLeast(
    `ours to ${name}, in the worst row (${lowest.row})`,
    lowest.ratio,
    lowest.least,
    ' ×',
    WHY_NOT_MORE,
  );
}

async function compare(
  url: string,
  callers: number,
  isBurst: boolean,
  makeOperation: (locker: Locker, held: readonly Held[]) => Operation,
) {
  const lockers = {
    ours: await openOurs(url),
    scripts: await openScripts(url),
    redlock: await openRedlock(url),
    universal: await openRedlockUniversal(url),
  };
  const measureOf = async (name: keyof typeof lockers): Promise<Measure> => {
    const locker = lockers[name];
    const held = await Promise.all(
      Array.from({ length: callers }, (_, caller) => locker.acquire(`${name}-${caller}`)),
    );
    await locker.acquire('taken').catch(() => {});
    const operation = makeOperation(locker, held);
    return () => (isBurst ? inBursts(operation, callers) : byThemselves(operation, callers));
  };
  try {
    return await interleave(
      {
        ours: await measureOf('ours'),
        scripts: await measureOf('scripts'),
        redlock: await measureOf('redlock'),
        universal: await measureOf('universal'),
      },
      { rounds: ROUNDS, warmUps: 1 },
    );
  } finally {
    for (const locker of Object.values(lockers)) await locker.close();
  }
}

/** Operations a second of callers that each wait for their own. */
async function byThemselves(operation: Operation, callers: number): Promise<number> {
  let done = 0;
  const startedMs = performance.now();
  const endMs = startedMs + WINDOW_MS;
  const work = async (caller: number) => {
    while (performance.now() < endMs) {
      await operation(caller);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => work(caller)));
  return done / ((performance.now() - startedMs) / 1_000);
}

/** The same of callers that call in one tick, and again when all are answered. */
async function inBursts(operation: Operation, callers: number): Promise<number> {
  let done = 0;
  const startedMs = performance.now();
  while (performance.now() - startedMs < WINDOW_MS) {
    await Promise.all(Array.from({ length: callers }, (_, caller) => operation(caller)));
    done += callers;
  }
  return done / ((performance.now() - startedMs) / 1_000);
}

/** Microseconds of one renewal, by the way in which it is sent. */
async function compareOne(url: string) {
  const ways = await openRenewals(url);
  const measureOf = ({ renew }: Renewal) => {
    return async () => 1e6 / (await byThemselves(renew, 1));
  };
  try {
    const samples = await interleave(
      {
        raw: measureOf(ways.raw),
        rawWithHello: measureOf(ways.rawWithHello),
        redis: measureOf(ways.redis),
        ioredis: measureOf(ways.ioredis),
        ours: measureOf(ways.ours),
      },
      { rounds: 2 * ROUNDS },
    );
    return (name: keyof typeof ways) => round(samples(name).median);
  } finally {
    for (const way of Object.values(ways)) await way.close();
  }
}

async function compareFiles() {
  await using folder = await makeTempDir();
  const { SqliteLeaseProvider }: { SqliteLeaseProvider: typeof SqliteProvider } = await import(
    new URL('../../dist/providers/sqlite/index.js', import.meta.url).href
  );
  const provider = new SqliteLeaseProvider({ path: join(folder.path, 'leases.db') });
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  try {
    return await interleave(
      {
        ours: () =>
          byThemselves(async () => {
            await provider.acquireLease('k', 'me', 60_000);
            await provider.releaseLease('k', 'me');
          }, 1),
        lockfile: () =>
          byThemselves(async () => {
            const release = await lockfile.lock(file);
            await release();
          }, 1),
      },
      { rounds: ROUNDS, warmUps: 1 },
    );
  } finally {
    await provider.close();
  }
}

function cell({ median }: Sample, ours: number): string {
  return median === ours ? thousands(median) : `${thousands(median)} (${round(ours / median)} ×)`;
}

function thousands(perSecond: number): string {
  return round(perSecond / 1_000);
}
