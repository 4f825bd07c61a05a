import type { Redis } from 'ioredis';
import { type RedisServer, startServer, stopAll } from './redis-process.js';
import { startDataServer, waitForSync } from './redis-replication.js';
import { waitFor } from './wait-for.js';

const MASTER_NAME = 'mymaster';

/** What makes the sentinels choose another primary. */
type FailoverCause = 'command' | 'kill' | 'pause';

export interface RedisSentinel extends AsyncDisposable {
  readonly masterName: string;
  readonly sentinels: readonly RedisServer[];
  /** The primary now; another server after `failover()`. */
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** `redis+sentinel://host:port,…/mymaster`, with the data servers' password. */
  readonly url: string;
  /**
   * Swaps `primary` and `replica`, and returns when every running sentinel names the new primary and it is one. The old
   * primary lives on after `command` (asked of a sentinel, the default), is dead after `kill`, frozen after `pause`;
   * alive again, it goes on as a primary until a sentinel demotes it.
   */
  failover(cause?: FailoverCause): Promise<void>;
  stop(): Promise<void>;
}

interface SentinelOptions {
  /** How many sentinels; the quorum is their majority. Default 1. */
  readonly sentinels?: 1 | 2 | 3;
  /** The default user's password on the data servers. */
  readonly password?: string;
}

/** A primary and its replica under sentinels that know them and each other: a failover can start at once. */
export async function startSentinel({
  sentinels: count = 1,
  password,
}: SentinelOptions = {}): Promise<RedisSentinel> {
  const first = await startDataServer(password);
  const second = await startDataServer(password, first.port);
  await waitForSync(second);
  const sentinels = await Promise.all(
    Array.from({ length: count }, () => startOneSentinel(first.port, Math.floor(count / 2) + 1, password)),
  );
  const clients = await Promise.all(sentinels.map((sentinel) => sentinel.client()));
  await Promise.all(clients.map((client) => waitUntilReady(client, count)));
  let [primary, replica] = [first, second];
  const stop = () => stopAll([...sentinels, first, second]);
  const user = password === undefined ? '' : `:${encodeURIComponent(password)}@`;

  async function failover(cause: FailoverCause = 'command'): Promise<void> {
    const [from, to] = [primary, replica];
    const running = clients.filter((_, index) => sentinels[index]?.isRunning);
    if (cause === 'kill') await from.kill();
    if (cause === 'pause') from.pause();
    if (cause === 'command') {
      await waitFor(() => running[0]?.call('SENTINEL', 'FAILOVER', MASTER_NAME), {
        what: 'a failover to start',
      });
    }
    const data = await to.client();
    await waitFor(
      async () => {
        const named = await Promise.all(running.map(namedPort));
        return (
          named.every((port) => port === to.port) && (await data.info('replication')).includes('role:master')
        );
      },
      { deadlineMs: 30_000, what: 'the sentinels to name the new primary' },
    );
    data.disconnect();
    [primary, replica] = [to, from];
  }

  return {
    masterName: MASTER_NAME,
    sentinels,
    get primary() {
      return primary;
    },
    get replica() {
      return replica;
    },
    url: `redis+sentinel://${user}${sentinels.map(({ host, port }) => `${host}:${port}`).join(',')}/${MASTER_NAME}`,
    failover,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function startOneSentinel(primaryPort: number, quorum: number, password?: string): Promise<RedisServer> {
  const lines = [
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${primaryPort} ${quorum}`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${JSON.stringify(password)}`]),
    `sentinel down-after-milliseconds ${MASTER_NAME} 500`,
    `sentinel failover-timeout ${MASTER_NAME} 2000`,
  ];
  return startServer({
    files: (port) => ({ 'sentinel.conf': [`port ${port}`, 'bind 127.0.0.1', ...lines, ''].join('\n') }),
    argv: () => ['sentinel.conf', '--sentinel'],
  });
}

/** Waits until a sentinel knows the replica and the other sentinels. */
function waitUntilReady(client: Redis, count: number): Promise<unknown> {
  return waitFor(
    async () => {
      const state = pairsOf(await client.call('SENTINEL', 'MASTER', MASTER_NAME));
      return state.get('num-slaves') === '1' && state.get('num-other-sentinels') === String(count - 1);
    },
    { deadlineMs: 20_000, what: 'the sentinels to know each other' },
  );
}

/** The port that a sentinel names as the primary's. */
async function namedPort(client: Redis): Promise<number> {
  const address = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME);
  return Array.isArray(address) ? Number(address[1]) : Number.NaN;
}

function pairsOf(reply: unknown): ReadonlyMap<string, string> {
  const items = Array.isArray(reply) ? reply.map(String) : [];
  return new Map(items.flatMap((item, index) => (index % 2 === 0 ? [[item, items[index + 1] ?? '']] : [])));
}
