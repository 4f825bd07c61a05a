import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInPath } from '../../test/support/redis-binary.js';
import { startRedis } from '../../test/support/redis-server.js';
import { makeTempDir } from '../../test/support/temp-dir.js';
import { atMost, type Findings, type Part, round, type Table } from '../harness/part.js';
import { BIN, child, runProcess } from '../harness/processes.js';
import { interleave, Sample } from '../harness/sample.js';

const ROUNDS = 15;
const TTL_MS = 6_000;
const HOLD_MS = 20_000;

export const execPart: Part = {
  name: 'exec',
  title: 'Running under a lease, and holding many',
  work: '`mastra-lease exec k -- true`, whole process; and one process that holds 1,000 leases by `holdLease`',
  peer: '`flock FILE true`, a program in C that knows this host alone; and the same process with 100 leases',
  limit: 'a start of Node: flock has none',
  run,
};

async function run(): Promise<Findings> {
  await using redis = await startRedis();
  const runs = await compareRuns(redis.url);
  const few = hold(redis.url, 100);
  const many = hold(redis.url, 1_000);
  const mostApartMs = (TTL_MS / 3) * 1.1;
  const row = (leases: number, held: Held) => [
    leases.toLocaleString('en'),
    `${held.timers[0]} to ${held.timers[1]}`,
    `${round(held.cpuShares[0] * 100)} % to ${round(held.cpuShares[1] * 100)} %`,
    `${round(held.apart.median)} ms`,
    `${round(held.apart.quantile(1))} ms`,
  ];
  return {
    tables: [
      runs,
      {
        title: `Leases of ${TTL_MS / 1_000} s held by one process for ${HOLD_MS / 1_000} s`,
        columns: [
          'Leases',
          'Timers, first to last second',
          'A core, first to last half',
          'Renewals apart, p50',
          'at most',
        ],
        rows: [row(100, few), row(1_000, many)],
      },
    ],
    goals: [
      atMost('renewals of one lease apart, of 1,000', many.apart.quantile(1), mostApartMs, ' ms'),
      atMost('timers at the end to those at the begin', many.timers[1] / many.timers[0], 1.05, ' ×'),
      atMost(
        'CPU of the second half to that of the first',
        many.cpuShares[1] / many.cpuShares[0],
        1.25,
        ' ×',
      ),
    ],
  };
}

async function compareRuns(url: string): Promise<Table> {
  await using folder = await makeTempDir();
  const home = { HOME: folder.path };
  const lock = join(folder.path, 'lock');
  writeFileSync(lock, '');
  const flock = findInPath('flock', process.env.PATH ?? '');
  const exec = (backend: string) =>
    runProcess([process.execPath, BIN, 'exec', 'k', '--owner', 'me', '--backend', backend, '--', 'true'], {
      env: home,
    }).ms;
  const samples = await interleave(
    {
      bare: () => runProcess(['true']).ms,
      node: () => runProcess([process.execPath, '-e', '0']).ms,
      flock: () => (flock === undefined ? Number.NaN : runProcess([flock, lock, 'true']).ms),
      redis: () => exec(url),
      sqlite: () => exec(`sqlite:${join(folder.path, 'leases.db')}`),
    },
    { rounds: ROUNDS },
  );
  const bare = samples('bare').median;
  const row = (name: string, { median }: Sample) => [
    name,
    `${round(median)} ms`,
    `${round(median - bare)} ms`,
  ];
  return {
    title: `One run of \`true\`, medians of ${ROUNDS} interleaved rounds`,
    columns: ['Command', 'Median', 'More than the command alone'],
    rows: [
      row('`true`', samples('bare')),
      row('`flock FILE true`', samples('flock')),
      row('`node -e 0`', samples('node')),
      row('`mastra-lease exec`, SQLite', samples('sqlite')),
      row('`mastra-lease exec`, Redis', samples('redis')),
    ],
  };
}

interface Held {
  readonly timers: readonly [number, number];
  /** Of a core, in the first and in the last half of the time. */
  readonly cpuShares: readonly [number, number];
  readonly apart: Sample;
}

function hold(url: string, leases: number): Held {
  const text = execFileSync(
    process.execPath,
    [child('hold.mjs'), url, String(leases), String(TTL_MS), String(HOLD_MS)],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  const { seconds, apartMs }: { seconds: { timers: number; cpuSeconds: number }[]; apartMs: number[] } =
    JSON.parse(text);
  const half = Math.floor(seconds.length / 2);
  const shareOf = (some: typeof seconds) =>
    some.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / some.length;
  return {
    timers: [seconds[0]?.timers ?? 0, seconds.at(-1)?.timers ?? 0],
    // The first second has what is left of acquiring them.
    cpuShares: [shareOf(seconds.slice(1, half)), shareOf(seconds.slice(half))],
    apart: new Sample(apartMs),
  };
}
