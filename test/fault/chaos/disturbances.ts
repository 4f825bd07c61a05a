import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Random } from '../../../src/conformance/random.js';
import type { RedisServer } from '../../support/redis-server.js';
import type { TcpProxy } from '../../support/tcp-proxy.js';
import { type Contender, TTL_MS } from './contenders.js';
import { monotonicMs, readLedger } from './ledger.js';

/** What a fault may be done to. */
export interface Field {
  readonly server: RedisServer;
  /** A client of the server that no fault touches. */
  readonly admin: Redis;
  readonly contenders: readonly Contender[];
  /** One for each contender. */
  readonly proxies: readonly TcpProxy[];
  readonly ledger: string;
  readonly random: Random;
  /** Since when the holders were frozen that were, by their names. */
  readonly frozen: Map<string, number>;
}

/** The longest that a fault lasts, in milliseconds: nearly the TTL. */
const MOST_MS = 2_500;
/** The longest that a holder alone is frozen: less than the time between the end of what runs and that of the TTL. */
const SHORT_MS = 400;
const PAUSE_MS = 600;

/** Faults of one contender's network. */
const ON_A_LINE: Readonly<Record<string, (proxy: TcpProxy, random: Random) => Promise<void>>> = {
  cut: async (proxy) => proxy.cut(),
  'silence both ways': (proxy, random) => silence(proxy, 'both', random),
  'silence to the server': (proxy, random) => silence(proxy, 'up', random),
  'silence from the server': (proxy, random) => silence(proxy, 'down', random),
  'a lost answer, cut': async (proxy) => void proxy.dropNextReply(),
  'a lost answer, hanging': async (proxy) => void proxy.dropNextReply({ outcome: 'hang' }),
  'a lost request': async (proxy) => void proxy.cutBeforeForward(),
  'bytes one by one': async (proxy, random) => {
    proxy.splitFrames();
    await sleep(random.below(MOST_MS));
    proxy.splitFrames(false);
  },
  'a slow line': async (proxy, random) => {
    proxy.setRoundTripMs(random.below(800));
    await sleep(random.below(MOST_MS));
    proxy.setRoundTripMs(0);
  },
  'a closed port': async (proxy, random) => {
    proxy.refuseNew();
    proxy.cut();
    await sleep(random.below(MOST_MS));
    await proxy.acceptNew();
  },
};

/** Faults of the server, for everybody. */
const ON_THE_SERVER: Readonly<Record<string, (field: Field) => Promise<void>>> = {
  'a frozen server': async ({ server, random }) => {
    server.pause();
    await sleep(random.below(MOST_MS));
    server.resume();
  },
  'scripts flushed': async ({ admin }) => void (await admin.script('FLUSH')),
  'clients killed': async ({ admin }) => {
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  },
};

/** Faults of a process that holds the lease, or waits for it. */
const ON_A_PROCESS: Readonly<Record<string, (field: Field) => Promise<void>>> = {
  'exec frozen shortly': async ({ contenders, random }) => {
    const run = random.pick(contenders).current;
    if (run) await freeze([run.pid], random.below(SHORT_MS));
  },
  'exec and its command frozen past the TTL': async ({ contenders, ledger, random, frozen }) => {
    const stays = await readLedger(ledger);
    const holder = contenders.flatMap(({ current }) => {
      const stay = stays.find(({ name, hasLeft }) => name === current?.name && !hasLeft && !frozen.has(name));
      return current && stay ? [{ run: current, stay }] : [];
    })[0];
    if (!holder) return;
    // As a machine that sleeps: what runs under the lease sleeps too.
    frozen.set(holder.run.name, monotonicMs());
    await freeze([-holder.stay.pid, holder.run.pid], TTL_MS + random.below(SHORT_MS));
  },
};

const DISTURBANCES: readonly (readonly [string, (field: Field) => Promise<void>])[] = [
  ...Object.entries(ON_A_LINE).map(
    ([name, disturb]) =>
      [name, ({ proxies, random }: Field) => disturb(random.pick(proxies), random)] as const,
  ),
  ...Object.entries(ON_THE_SERVER),
  ...Object.entries(ON_A_PROCESS),
];

/** Disturbs the field, now here and now there, until it is told to stop; answers how often, by name. */
export async function disturb(field: Field, stop: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const going: Promise<void>[] = [];
  while (!stop.aborted) {
    const [name, disturbance] = field.random.pick(DISTURBANCES);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    going.push(disturbance(field));
    await sleep(field.random.below(PAUSE_MS), undefined, { signal: stop }).catch(() => {});
  }
  await Promise.all(going);
  return counts;
}

async function silence(proxy: TcpProxy, direction: 'up' | 'down' | 'both', random: Random): Promise<void> {
  proxy.pause(direction);
  await sleep(random.below(MOST_MS));
  proxy.resume(direction);
}

async function freeze(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) signal(pid, 'SIGCONT');
}

/** One that has ended meanwhile is no failure. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
