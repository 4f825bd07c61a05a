import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { findInPath } from '../../test/support/redis-binary.js';
import { type RedisServer, startRedis } from '../../test/support/redis-server.js';
import { makeTempDir } from '../../test/support/temp-dir.js';
import { fill } from '../harness/keyspace.js';
import { atLeast, atMost, type Findings, type Goal, type Part, round } from '../harness/part.js';
import { BIN, child, runAside } from '../harness/processes.js';
import { interleave, type Measure, Sample } from '../harness/sample.js';

const KEYS = 1_000_000;
const LEASES = 100_000;
const ROUNDS = 3;
/** Why a listing is not faster still. */
const WHY_NOT_FASTER =
  'the server alone is at work for most of the time, and the rest is this process starting, and reading and writing ' +
  '100,000 leases on the other core';
/** Why one step takes longer than others of as many keys. */
const WHY_LONGER = 'a step that has to wait for a core is counted with its wait';
const PATTERN = 'mastra:topic:lease:*';

export const listPart: Part = {
  name: 'list',
  title: 'Listing',
  work: '`mastra-lease list --json`: key, owner and time left of 100,000 leases among 1,000,000 keys, whole process',
  peer: '`redis-cli --scan --pattern`, which gives the names alone',
  limit: 'the server walking through its keys',
  run,
};

async function run(): Promise<Findings> {
  await using redis = await startRedis({
    aclUsers: { plain: 'on >secret ~* &* +@all -eval -evalsha -script' },
  });
  await using folder = await makeTempDir();
  const admin = await redis.client();
  const home = { HOME: folder.path };
  const list = (env: NodeJS.ProcessEnv = {}) =>
    runAside([process.execPath, BIN, 'list', '--json', '--backend', redis.url], { ...home, ...env });
  const withoutScripts = () => list({ MASTRA_LEASE_USERNAME: 'plain', MASTRA_LEASE_PASSWORD: 'secret' });

  // Growth first, from few keys to all of them.
  const growth: { readonly keys: number; readonly ms: number; readonly memoryMb: number }[] = [];
  for (const keys of [10_000, 100_000, KEYS]) {
    await fill(admin, { leases: keys / 10, others: keys - keys / 10 });
    await list();
    const times = [await list(), await list(), await list()];
    growth.push({ keys, ms: new Sample(times).median, memoryMb: await memoryOf(list, folder.path) });
  }
  const redisCli = findInPath('redis-cli', process.env.PATH ?? '');
  const scan = () =>
    runAside([redisCli ?? '', '-p', String(redis.port), '--scan', '--pattern', PATTERN], home);
  const measures: Record<string, Measure> = { ours: list, plain: withoutScripts };
  if (redisCli !== undefined) measures.scan = scan;
  const samples = await interleave(measures, { rounds: ROUNDS, warmUps: 0 });
  const served = await serverMsOf(admin, list);
  const step = await longestStep(admin, list);
  const probe = await probed(redis, list);
  // Where every key is a lease, a step meets most.
  await fill(admin, { leases: LEASES * 3, others: 0 });
  const stepOfLeases = await longestStep(admin, list);
  const probeOfLeases = await probed(redis, list);

  const [small, middle, large] = growth;
  if (!small || !middle || !large) throw new Error('Expected three sizes');
  const ours = samples('ours').median;
  const toScan = (name: 'ours' | 'plain', least: number, what: string): Goal[] =>
    redisCli === undefined
      ? [
          {
            what,
            goal: `≥ ${least} ×`,
            figure: '–',
            isMet: false,
            note: 'there is no redis-cli beside the server',
          },
        ]
      : [atLeast(what, samples('scan').median / samples(name).median, least, ' ×', WHY_NOT_FASTER)];
  const seconds = (ms: number) => `${round(ms / 1_000)} s`;
  return {
    tables: [
      {
        title: `100,000 leases among 1,000,000 keys, medians of ${ROUNDS} interleaved rounds`,
        columns: ['Command', 'Median', 'Keys a second'],
        rows: [
          ['`mastra-lease list --json`', seconds(ours), `${round(KEYS / ours)} k`],
          ['the server alone in one of these', seconds(served), `${round(KEYS / served)} k`],
          [
            'the same as a user who may run no script',
            seconds(samples('plain').median),
            `${round(KEYS / samples('plain').median)} k`,
          ],
          ...(redisCli === undefined
            ? []
            : [
                [
                  '`redis-cli --scan --pattern`, names alone',
                  seconds(samples('scan').median),
                  `${round(KEYS / samples('scan').median)} k`,
                ],
              ]),
        ],
      },
      {
        title: 'Growth, a tenth of the keys leases',
        columns: ['Keys', 'Leases', 'Time', 'Memory of the process at most'],
        rows: growth.map(({ keys, ms, memoryMb }) => [
          keys.toLocaleString('en'),
          (keys / 10).toLocaleString('en'),
          seconds(ms),
          `${round(memoryMb)} MB`,
        ]),
      },
      {
        title: 'What others notice meanwhile',
        columns: [
          'Keys',
          `Longest step of the server in ${ROUNDS} listings`,
          'Ping of another client, p50',
          'p99',
          'at most',
        ],
        rows: [
          ['1,000,000, a tenth leases', `${round(step)} ms`, ...probeCells(probe)],
          ['300,000, all leases', `${round(stepOfLeases)} ms`, ...probeCells(probeOfLeases)],
        ],
      },
    ],
    goals: [
      ...toScan('ours', 6, 'faster than `redis-cli --scan` with the names alone'),
      ...toScan('plain', 4, 'the same where scripts are refused'),
      atMost('memory with 100,000 leases', large.memoryMb, 150, ' MB'),
      atMost('memory with 100,000 leases to that with 1,000', large.memoryMb / small.memoryMb, 1.6, ' ×'),
      atMost('longest step of the server', step, 5, ' ms', WHY_LONGER),
      atMost('the same where every key is a lease', stepOfLeases, 5, ' ms', WHY_LONGER),
      atMost('ping of another client, p99', probe.quantile(0.99), 5, ' ms'),
      atMost('the same where every key is a lease', probeOfLeases.quantile(0.99), 5, ' ms'),
      atMost('ten times the keys take, to ten times the time', large.ms / middle.ms / 10, 1.2, ' ×'),
    ],
    plots: [
      {
        name: 'list-growth',
        title: 'list --json, a tenth of the keys leases',
        xLabel: 'keys',
        yLabel: 'seconds',
        isLogX: true,
        isLogY: true,
        points: growth.map(({ keys, ms }) => ({ series: 'whole process', x: keys, y: ms / 1_000 })),
      },
    ],
  };
}

function probeCells(probe: Sample): string[] {
  return [0.5, 0.99, 1].map((share) => `${round(probe.quantile(share))} ms`);
}

/** The most memory that a run of the program had, in megabytes. */
async function memoryOf(runIt: (env: NodeJS.ProcessEnv) => Promise<number>, folder: string): Promise<number> {
  const file = join(folder, 'memory');
  await runIt({ NODE_OPTIONS: `--require ${child('report-memory.cjs')}`, MEMORY_FILE: file });
  return Number(await readFile(file, 'utf8')) / 1_024;
}

/** The longest command that the server ran in several rounds, in milliseconds, as its own log has it. */
async function longestStep(admin: Redis, work: () => Promise<number>): Promise<number> {
  await admin.config('SET', 'slowlog-log-slower-than', '200', 'slowlog-max-len', '100000');
  await admin.slowlog('RESET');
  for (let i = 0; i < ROUNDS; i += 1) await work();
  const entries: unknown = await admin.slowlog('GET', 100_000);
  await admin.config('SET', 'slowlog-log-slower-than', '-1');
  const durations = Array.isArray(entries) ? entries.map((entry) => Number(entry[2])) : [];
  return Math.max(0, ...durations) / 1_000;
}

/** How long the server was at work on scripts meanwhile, in milliseconds. */
async function serverMsOf(admin: Redis, work: () => Promise<number>): Promise<number> {
  await admin.config('RESETSTAT');
  await work();
  // Redis 7.0 counts what was called by its hash as EVAL.
  const scripts = (await admin.info('commandstats')).matchAll(/cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)/g);
  return Array.from(scripts, ([, usec]) => Number(usec)).reduce((sum, usec) => sum + usec, 0) / 1_000;
}

/** How long another client waits for an answer meanwhile, in milliseconds. */
async function probed(redis: RedisServer, work: () => Promise<number>): Promise<Sample> {
  // A process of its own: what this one does meanwhile is none of the server's doing.
  const probe = spawn(process.execPath, [child('probe.mjs'), String(redis.port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  probe.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await work();
  probe.stdin.end();
  await once(probe, 'close');
  return new Sample(text.split('\n').filter(Boolean).map(Number));
}
