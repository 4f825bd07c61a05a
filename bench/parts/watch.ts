import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../../test/support/redis-server.js';
import { makeTempDir, type TempDir } from '../../test/support/temp-dir.js';
import { startTerminal, type TerminalRun } from '../../test/support/terminal.js';
import { waitFor } from '../../test/support/wait-for.js';
import { fill } from '../harness/keyspace.js';
import { atLeast, atMost, type Findings, type Part, type Point, round, type Table } from '../harness/part.js';
import { BIN, child } from '../harness/processes.js';
import { type Running, startRunning } from '../harness/running.js';
import { Sample } from '../harness/sample.js';
import { cpuSecondsOf, memoryOf, type ServerUsage, usageOf } from '../harness/usage.js';

/** How long the busy screen is looked at, in milliseconds; 10 minutes by BENCH_WATCH_MS=600000. */
const BUSY_MS = Number(process.env.BENCH_WATCH_MS ?? 12_000);
const IDLE_MS = 15_000;
const BUSY_LEASES = 10_000;
const CHANGES = 2_000;

export const watchPart: Part = {
  name: 'watch',
  title: 'Watching',
  work: '`mastra-lease watch` as a screen on a pseudo-terminal and as a stream, of leases that are renewed every 5 s, up to 2,000 changes a second',
  peer: 'the same server without anybody who watches',
  limit: 'each change is read once, by GET and PTTL: the push names no owner',
  run,
};

interface Place {
  readonly redis: RedisServer;
  readonly admin: Redis;
  readonly home: TempDir;
}

async function run(): Promise<Findings> {
  await using redis = await startRedis();
  await using home = await makeTempDir();
  const place = { redis, admin: await redis.client(), home };
  const parts = [
    await snapshot(place),
    await busy(place),
    await keys(place),
    await idle(place),
    await scale(place),
  ];
  return {
    tables: parts.flatMap(({ tables }) => tables),
    goals: parts.flatMap(({ goals }) => goals),
    plots: parts.flatMap(({ plots = [] }) => plots),
  };
}

/** The first view of a large server: how soon it is there, and what it takes. */
async function snapshot({ redis, admin, home }: Place): Promise<Findings> {
  const look = async () => {
    await using running = stream(redis, home, '--json');
    const ms = await running.printed(/"type":"backend-up"/);
    return { ms, mb: memoryOf(running.pid).mostMb };
  };
  await admin.flushall();
  await look();
  const empty = await look();
  await fill(admin, { leases: 100_000, others: 900_000 });
  const looks = [await look(), await look(), await look()];
  const ms = new Sample(looks.map((one) => one.ms)).median;
  const more = new Sample(looks.map((one) => one.mb - empty.mb)).median;
  return {
    tables: [
      {
        title: 'The first view: 100,000 leases among 1,000,000 keys',
        columns: ['', 'Time to be live, whole process', 'Memory at most'],
        rows: [
          ['empty server', `${round(empty.ms / 1_000)} s`, `${round(empty.mb)} MB`],
          ['100,000 leases', `${round(ms / 1_000)} s`, `${round(empty.mb + more)} MB`],
        ],
      },
    ],
    goals: [
      atMost(
        'first view of 100,000 leases among 1,000,000 keys',
        ms / 1_000,
        2,
        ' s',
        'most of it is the listing; then 100,000 leases are told, in 25 MB of lines',
      ),
      atMost(
        'memory more than on an empty server',
        more,
        120,
        ' MB',
        'a lease kept costs some 240 bytes; the rest is its part of the first view, and what V8 lets pile up while that comes in',
      ),
    ],
  };
}

/** Ten thousand leases, each renewed every five seconds, on the screen. */
async function busy({ redis, admin, home }: Place): Promise<Findings> {
  await fill(admin, { leases: BUSY_LEASES, others: 0 });
  await using renewer = startRunning(renewing(redis, BUSY_LEASES, CHANGES, 20));
  const seen = await busyScreen({ redis, admin, home });
  const latency = await stateLatency(redis);
  await renewer.finish();
  const perExpiry = await commandsPerExpiry({ redis, admin, home });
  return {
    tables: [
      {
        title: `10,000 leases, 2,000 changes a second, for ${round(BUSY_MS / 1_000)} s`,
        columns: ['What', 'Figure'],
        rows: [
          ['a change is part of the state after, p50', `${round(latency.median)} ms`],
          ['p99', `${round(latency.quantile(0.99))} ms`],
          ['a change is on the terminal after, p50', `${round(seen.painted.median)} ms`],
          ['p99', `${round(seen.painted.quantile(0.99))} ms`],
          ['a core, whole process', `${round(seen.cpuShare * 100)} %`],
          ['repaints a second', round(seen.repaints)],
          ['commands a change', round(seen.commandsPerChange)],
          ['commands a lease that ends', round(perExpiry)],
          [
            'memory at the begin and at the end',
            `${round(seen.memoryMb[0])} and ${round(seen.memoryMb[1])} MB`,
          ],
        ],
      },
    ],
    goals: [
      atMost('change to state of the screen, p99', latency.quantile(0.99), 100, ' ms'),
      atMost('a core for the whole process', seen.cpuShare * 100, 25, ' %'),
      atMost(
        'commands a change',
        seen.commandsPerChange,
        2,
        '',
        'each change is two; what was on its way when the measurement began is read in it',
      ),
      atMost('commands a lease that ends', perExpiry, 4),
      atLeast('repaints a second', seen.repaints, 9.5),
      atMost('memory at the end to that at the begin', seen.memoryMb[1] / seen.memoryMb[0], 1.3, ' ×'),
    ],
  };
}

async function busyScreen({ redis, admin, home }: Place) {
  await using screen = await openScreen(redis, home);
  // One key's whole round, so that caches are warm and every lease was seen once.
  await sleep(6_000);
  const before = { usage: await commandsOf(admin), cpu: cpuSecondsOf(screen.pid), ...memoryOf(screen.pid) };
  const rawBefore = screen.raw.length;
  const startedMs = performance.now();
  const painted = await paintLatency(screen, admin, BUSY_MS);
  const tookS = (performance.now() - startedMs) / 1_000;
  const after = { usage: await commandsOf(admin), cpu: cpuSecondsOf(screen.pid), ...memoryOf(screen.pid) };
  const frames = screen.raw.slice(rawBefore).split('\u001b[?2026h').length - 1;
  return {
    painted,
    cpuShare: (after.cpu - before.cpu) / tookS,
    repaints: frames / tookS,
    commandsPerChange:
      (after.usage.reads - before.usage.reads) / (after.usage.changes - before.usage.changes),
    memoryMb: [before.nowMb, after.nowMb] as const,
  };
}

/** From a hand-over to its line in the log on the terminal, in milliseconds, again and again. */
async function paintLatency(screen: TerminalRun, admin: Redis, forMs: number): Promise<Sample> {
  const times: number[] = [];
  const endMs = performance.now() + forMs;
  for (let n = 0; performance.now() < endMs; n += 1) {
    const owner = `painted-${n}.`;
    const sentMs = performance.now();
    await admin.set('mastra:topic:lease:user-1\0thread-1', owner, 'PX', 15_000);
    await waitFor(() => screen.raw.includes(owner, screen.raw.length - 60_000), {
      deadlineMs: 10_000,
      everyMs: 1,
      what: 'a hand-over on the screen',
    });
    times.push(performance.now() - sentMs);
    await sleep(Math.random() * 200);
  }
  return new Sample(times);
}

async function stateLatency(redis: RedisServer): Promise<Sample> {
  await using state = startRunning([process.execPath, child('watch-state.mjs'), redis.url]);
  await sleep(9_000);
  const lines = (await state.finish()).split('\n').filter(Boolean).map(Number);
  // What was on the way while it began is no latency of its.
  return new Sample(lines.slice(20));
}

/** The commands by which the end of a lease is found out. */
async function commandsPerExpiry({ redis, admin, home }: Place): Promise<number> {
  const leases = 1_000;
  await admin.flushall();
  await using running = stream(redis, home, '--json');
  await running.printed(/"type":"backend-up"/);
  for (let n = 1; n <= leases; n += 1) {
    await admin.set(`mastra:topic:lease:user-${n}\0thread-${n}`, 'run-1', 'PX', 6_000);
  }
  await waitFor(() => count(running.output(), '"type":"acquired"') === leases, {
    deadlineMs: 5_000,
    what: 'all acquired',
  });
  const before = await commandsOf(admin);
  await waitFor(() => count(running.output(), '"type":"expired"') === leases, {
    deadlineMs: 20_000,
    what: 'all expired',
  });
  const after = await commandsOf(admin);
  return (after.reads - before.reads) / leases;
}

/** From a key press to the next frame, with 100,000 rows. */
async function keys({ redis, admin, home }: Place): Promise<Findings> {
  await fill(admin, { leases: 100_000, others: 0 });
  await using screen = await openScreen(redis, home);
  await sleep(1_500);
  const times: number[] = [];
  for (const key of 'jjjjjjjjGjkgjjjjjjjjjjjjjjjjjjjjjjjjjjjj') {
    const before = screen.raw.length;
    const pressedMs = performance.now();
    screen.type(key);
    await waitFor(() => screen.raw.length > before, { deadlineMs: 5_000, everyMs: 1, what: 'a frame' });
    times.push(performance.now() - pressedMs);
    await sleep(60);
  }
  const sample = new Sample(times.slice(3));
  return {
    tables: [
      {
        title: '100,000 rows: from a key press to the next frame',
        columns: ['', 'p50', 'p90', 'at most'],
        rows: [['`j`', ...[0.5, 0.9, 1].map((share) => `${round(sample.quantile(share))} ms`)]],
      },
    ],
    goals: [atMost('key press to repaint with 100,000 rows, p90', sample.quantile(0.9), 50, ' ms')],
  };
}

/** What watching costs while nothing changes. */
async function idle({ redis, admin, home }: Place): Promise<Findings> {
  await fill(admin, { leases: 1_000, others: 0 });
  const rest = async (pid: number) => {
    await sleep(2_000);
    const before = { usage: await commandsOf(admin), cpu: cpuSecondsOf(pid) };
    await sleep(IDLE_MS);
    const after = { usage: await commandsOf(admin), cpu: cpuSecondsOf(pid) };
    const { reads, beats, others } = after.usage;
    const sent = reads + beats + others - before.usage.reads - before.usage.beats - before.usage.others;
    return {
      perHeartbeat: sent / (IDLE_MS / 5_000),
      cpuShare: (after.cpu - before.cpu) / (IDLE_MS / 1_000),
    };
  };
  const ofStream = await (async () => {
    await using running = stream(redis, home);
    await running.printed(/backend-up/);
    return await rest(running.pid);
  })();
  const ofScreen = await (async () => {
    await using screen = await openScreen(redis, home);
    return await rest(screen.pid);
  })();
  const row = (name: string, { perHeartbeat, cpuShare }: typeof ofStream) => [
    name,
    round(perHeartbeat),
    `${round(cpuShare * 100)} %`,
  ];
  return {
    tables: [
      {
        title: '1,000 leases, nothing changes',
        columns: ['', 'Commands in 5 s', 'A core'],
        rows: [row('stream', ofStream), row('screen', ofScreen)],
      },
    ],
    goals: [
      atMost(
        'commands in 5 s (PING on one connection, HELLO and TRACKINGINFO on the other)',
        ofStream.perHeartbeat,
        3,
      ),
      atMost('a core, stream', ofStream.cpuShare * 100, 1, ' %'),
      atMost('a core, screen', ofScreen.cpuShare * 100, 3, ' %'),
    ],
  };
}

/** What watching costs the server, by leases and by watchers. */
async function scale(place: Place): Promise<Findings> {
  const byLeases: Cost[] = [];
  for (const leases of [100, 1_000, 10_000, 100_000]) byLeases.push(await costOf(place, leases, 1));
  const byWatchers: Cost[] = [];
  for (const watchers of [1, 5, 10, 20]) byWatchers.push(await costOf(place, 1_000, watchers));
  const table = (title: string, costs: readonly Cost[]): Table => ({
    title,
    columns: [
      'Leases',
      'Changes a second',
      'Watchers',
      'A core of the server, more per watcher',
      'Commands a change, per watcher',
    ],
    rows: costs.map(({ leases, changes, watchers, coreShare, commandsPerChange }) => [
      leases.toLocaleString('en'),
      round(changes),
      String(watchers),
      `${round(coreShare * 100)} %`,
      round(commandsPerChange),
    ]),
  });
  const points = (costs: readonly Cost[], x: 'leases' | 'watchers'): Point[] =>
    costs.map((cost) => ({ series: 'per watcher', x: cost[x], y: cost.coreShare * 100 }));
  const most = Math.max(...[...byLeases, ...byWatchers].map(({ commandsPerChange }) => commandsPerChange));
  return {
    tables: [
      table('Cost to the server by the number of leases', byLeases),
      table('Cost to the server by the number of watchers', byWatchers),
    ],
    goals: [
      atMost(
        'commands a change per watcher, at any number of either',
        most,
        2.02,
        '',
        'a change that is still on its way at the end of a measurement is read after it',
      ),
    ],
    plots: [
      {
        name: 'watch-leases',
        title: 'Cost of one watcher to the server, each lease renewed every 5 s (at most 2,000 a second)',
        xLabel: 'leases',
        yLabel: '% of a core',
        isLogX: true,
        points: points(byLeases, 'leases'),
      },
      {
        name: 'watch-watchers',
        title: 'Cost of each watcher to the server, 1,000 leases, 200 changes a second',
        xLabel: 'watchers',
        yLabel: '% of a core',
        points: points(byWatchers, 'watchers'),
      },
    ],
  };
}

interface Cost {
  readonly leases: number;
  readonly changes: number;
  readonly watchers: number;
  /** Of the server's core, per watcher. */
  readonly coreShare: number;
  readonly commandsPerChange: number;
}

async function costOf({ redis, admin }: Place, leases: number, watchers: number): Promise<Cost> {
  const changes = Math.min(CHANGES, leases / 5);
  await fill(admin, { leases, others: 0 });
  await using renewer = startRunning(renewing(redis, leases, changes, 0));
  await sleep(500);
  const without = await during(admin, 2_000);
  await using running = startRunning([process.execPath, child('watchers.mjs'), redis.url, String(watchers)]);
  await running.printed(/live/);
  await sleep(500);
  const with_ = await during(admin, 3_000);
  await renewer.finish();
  return {
    leases,
    changes,
    watchers,
    coreShare: Math.max(0, with_.coreShare - without.coreShare) / watchers,
    commandsPerChange: with_.reads / with_.changes / watchers,
  };
}

async function during(admin: Redis, ms: number) {
  const before = { ...(await commandsOf(admin)), ...(await usageOf(admin)) };
  await sleep(ms);
  const after = { ...(await commandsOf(admin)), ...(await usageOf(admin)) };
  return {
    coreShare: coreShareOf(before, after, ms),
    reads: after.reads - before.reads,
    changes: after.changes - before.changes,
  };
}

function coreShareOf(before: ServerUsage, after: ServerUsage, ms: number): number {
  return (after.cpuSeconds - before.cpuSeconds) / (ms / 1_000);
}

/** The commands that changed leases, those that read them, and those by which it is seen that a connection lives. */
async function commandsOf(admin: Redis): Promise<Commands> {
  const stats = await admin.info('commandstats');
  const calls = new Map<string, number>();
  for (const [, name = '', count] of stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    calls.set(name, Number(count));
  }
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + (calls.get(name) ?? 0), 0);
  return {
    changes: sum(['pexpire', 'set']),
    reads: sum(['get', 'pttl']),
    beats: sum(['ping', 'hello', 'client|trackinginfo']),
    // What the server does by itself or for this question is nobody's.
    others: sum(
      [...calls.keys()].filter((name) => !/^(pexpire|set|get|pttl|ping|hello|client.*|info)$/.test(name)),
    ),
  };
}

interface Commands {
  readonly changes: number;
  readonly reads: number;
  readonly beats: number;
  readonly others: number;
}

function stream(redis: RedisServer, home: TempDir, ...flags: readonly string[]): Running {
  return startRunning([process.execPath, BIN, 'watch', '--backend', redis.url, ...flags], {
    HOME: home.path,
  });
}

async function openScreen(redis: RedisServer, home: TempDir): Promise<TerminalRun> {
  const screen = await startTerminal(['watch', '--backend', redis.url], {
    columns: 120,
    rows: 40,
    env: { HOME: home.path },
  });
  await screen.waitForScreen(/\bpushed\b/, 60_000);
  return screen;
}

function renewing(redis: RedisServer, leases: number, changes: number, handovers: number): readonly string[] {
  return [process.execPath, child('renewer.mjs'), ...[redis.port, leases, changes, handovers].map(String)];
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
