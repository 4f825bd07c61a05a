import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { holdCallMs, renewCallMs } from '../../../src/lease/hold-timing.js';
import { recordOf } from '../../cli/lease-site.js';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { GRACE_MS, KEY, type Run, TTL_MS } from './contenders.js';
import type { Field } from './disturbances.js';
import { contendDuring, startField } from './field.js';
import { monotonicMs, overlapsIn, readLedger, type Stay } from './ledger.js';

/** What came of a run with faults that lose the lease behind its holder's back. */
export interface LossReport {
  readonly events: number;
  readonly losses: number;
  /** Sentences about holders that heard of it too late, or never. */
  readonly late: readonly string[];
  readonly broken: readonly string[];
  readonly summary: string;
}

/** A lease that was lost, by whatever happened then. */
interface DataLoss {
  readonly what: string;
  readonly at: number;
  /** Who held it. */
  readonly owner: string;
}

/** A renewal is due within a third of the TTL, and takes one call; the rest is for a busy machine. */
const HEARD_MS = holdCallMs(TTL_MS) + renewCallMs(TTL_MS, GRACE_MS) + 1_500;
const PAUSE_MS = 1_200;
const RECORD = recordOf(KEY);

/** The server that everybody reaches now, and the one that will take its place. */
interface Servers {
  current: RedisServer;
  readonly standby: RedisServer;
}

type Loser = (field: Field, servers: Servers, client: Redis) => Promise<string | null>;

const LOSERS: readonly (readonly [string, Loser])[] = [
  ['deleted', (_field, _servers, client) => ownerThen(client, ['DEL', RECORD])],
  [
    'overwritten',
    (_field, _servers, client) => ownerThen(client, ['SET', RECORD, 'an intruder', 'PX', '500']),
  ],
  ['flushed', (_field, _servers, client) => ownerThen(client, ['FLUSHALL'])],
  [
    'restarted empty',
    async (_field, { current }, client) => {
      const owner = await client.get(RECORD);
      await current.restart();
      return owner;
    },
  ],
  ['failover that loses the last writes', failOver],
];

/** Eight processes want one lease, which is taken from under them again and again. */
export async function runDataLoss({ seed, ms }: { seed: number; ms: number }): Promise<LossReport> {
  await using field = await startField(seed);
  await using standby = await startRedis();
  const events = await contendDuring(field, () => loseData(field, { current: field.server, standby }, ms));
  const stays = await readLedger(field.ledger);
  const runs = new Map(field.contenders.flatMap((contender) => contender.runs).map((run) => [run.name, run]));
  const losses = [...runs.values()].filter(({ exitCode }) => exitCode === 5).length;
  const overlaps = overlapsIn(stays, ({ lastAt }) => lastAt);
  const late = events.flatMap((event) =>
    heardLate(
      event,
      runs.get(event.owner),
      stays.find(({ name }) => name === event.owner),
    ),
  );
  return {
    events: events.length,
    losses,
    late,
    broken: [...runs.values()].flatMap(({ name, exitCode, stderr }) =>
      [0, 5, 6, 7, 8].some((code) => code === exitCode) ? [] : [`${name} ended with ${exitCode}: ${stderr}`],
    ),
    summary:
      `chaos, faults that lose data: seed ${seed}, ${ms / 1_000} s, 8 processes, ${runs.size} operations, ` +
      `${stays.length} times held, taken away ${events.length} times, ${losses} losses, told late = ${late.length} ` +
      `(${overlaps.length} overlaps until it was told)`,
  };
}

async function loseData(field: Field, servers: Servers, ms: number): Promise<readonly DataLoss[]> {
  const events: DataLoss[] = [];
  const endsAt = monotonicMs() + ms;
  const clients = new Map([[servers.standby, await servers.standby.client()]]).set(field.server, field.admin);
  while (monotonicMs() < endsAt) {
    await sleep(300 + field.random.below(PAUSE_MS));
    const client = clients.get(servers.current);
    const [what, lose] = field.random.pick(LOSERS);
    const owner = client ? await lose(field, servers, client) : null;
    if (owner !== null) events.push({ what, owner, at: monotonicMs() });
  }
  return events;
}

/** Who held the lease in the moment before a command. */
async function ownerThen(client: Redis, [name = '', ...args]: readonly string[]): Promise<string | null> {
  const results = await client.multi().get(RECORD).call(name, args).exec();
  const owner = results?.[0]?.[1];
  return typeof owner === 'string' ? owner : null;
}

/** The other server, which has none of the leases, becomes the primary; connections to the old one stay open. */
async function failOver(field: Field, servers: Servers, client: Redis): Promise<string | null> {
  const { current, standby } = servers;
  if (current === standby) return null;
  const owner = await client.get(RECORD);
  servers.current = standby;
  for (const proxy of field.proxies) proxy.retarget(standby);
  await client.call('REPLICAOF', standby.host, standby.port);
  return owner;
}

function heardLate(
  { what, at, owner }: DataLoss,
  run: Run | undefined,
  stay: Stay | undefined,
): readonly string[] {
  const heardAt = Math.min(run?.lostAt ?? Number.POSITIVE_INFINITY, stay?.toldAt ?? Number.POSITIVE_INFINITY);
  const leftAt = stay?.hasLeft ? stay.lastAt : Number.POSITIVE_INFINITY;
  const wasOver = run === undefined || (stay === undefined && run.exitCode !== 0);
  if (wasOver || Math.min(heardAt, leftAt) <= at + HEARD_MS) return [];
  const later = Number.isFinite(heardAt) ? `${Math.round(heardAt - at)} ms later` : 'never';
  return [`${owner}: ${what}, told ${later}`];
}
