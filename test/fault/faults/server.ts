import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, startRedis } from '../../support/redis-server.js';
import { waitFor } from '../../support/wait-for.js';
import { type Fault, type Scene, SECRET, SILENT_MS } from '../fault.js';
import { redisTruth } from '../redis-truth.js';

interface ServerScene {
  readonly options?: Parameters<typeof startRedis>[0];
  readonly strike: (server: RedisServer) => Promise<void>;
  readonly heal?: (server: RedisServer) => Promise<void>;
}

/** A server that all cells reach directly. */
async function onServer({ options, strike, heal }: ServerScene): Promise<Scene> {
  const server = await startRedis(options);
  const truth = await redisTruth({ servers: [server], primary: () => server });
  return {
    truth,
    way: async () => ({ backend: server.url }),
    strike: () => strike(server),
    ...(heal && { heal: () => heal(server) }),
    [Symbol.asyncDispose]: async () => {
      truth[Symbol.dispose]();
      await server.stop();
    },
  };
}

const PASSWORD = { password: SECRET };

export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: 'black hole',
    sentence: 'the host answers no attempt to connect, and nothing on open connections',
    timeoutMs: SILENT_MS,
    arrange: async () => {
      const queue: Socket[] = [];
      return onServer({
        options: { args: ['--tcp-backlog', '16'] },
        strike: async (server) => {
          server.pause();
          // Whoever is queued before it takes the place of whoever would be answered by the kernel.
          while (await connects(server, queue));
        },
        heal: async (server) => {
          for (const socket of queue) socket.destroy();
          server.resume();
        },
      });
    },
  },
  {
    name: 'server frozen',
    sentence: 'the server process is stopped (SIGSTOP), and goes on afterwards with what was sent to it',
    timeoutMs: SILENT_MS,
    arrange: () =>
      onServer({ strike: async (server) => server.pause(), heal: async (server) => server.resume() }),
  },
  {
    name: 'killed and restarted, empty',
    sentence: 'the server is killed, and is back without its data: every lease is gone',
    losesLeases: true,
    arrange: () => onServer({ options: PASSWORD, strike: (server) => server.restart() }),
  },
  {
    name: 'scripts flushed',
    sentence: 'SCRIPT FLUSH: the server knows no script any more',
    arrange: () =>
      onServer({
        options: PASSWORD,
        strike: async (server) => void (await (await server.client()).script('FLUSH')),
      }),
  },
  {
    name: 'loading',
    sentence: 'the server is loading its data (LOADING)',
    arrange: () =>
      onServer({
        options: { ...PASSWORD, args: ['--enable-debug-command', 'yes'] },
        strike: loadSlowly,
        heal: loadFast,
      }),
  },
  {
    name: 'out of memory',
    sentence: 'the server has reached its maxmemory (OOM)',
    arrange: () => onServer({ options: PASSWORD, strike: (server) => configure(server, 'maxmemory', '1') }),
  },
  {
    name: 'cannot save',
    sentence: 'the server cannot save to disk and refuses writes (MISCONF)',
    arrange: () =>
      onServer({
        options: { ...PASSWORD, args: ['--save', '3600 1', '--dir', '/proc'] },
        strike: async (server) => {
          const client = await server.client();
          await waitFor(
            async () => {
              await client.bgsave().catch(() => {});
              return (await client.info('persistence')).includes('rdb_last_bgsave_status:err');
            },
            { what: 'a save to fail' },
          );
        },
      }),
  },
];

async function connects({ host, port }: RedisServer, queue: Socket[]): Promise<boolean> {
  const socket = connect(port, host);
  queue.push(socket);
  socket.on('error', () => {});
  return Promise.race([
    new Promise<true>((resolve) => socket.once('connect', () => resolve(true))),
    sleep(200).then(() => false),
  ]);
}

async function configure(server: RedisServer, name: string, value: string): Promise<void> {
  await (await server.client()).config('SET', name, value);
}

const KEYS = 30_000;

/** A reload that takes as long as the cells do, and lets the server answer in between. */
async function loadSlowly(server: RedisServer): Promise<void> {
  const client = await server.client();
  await client.eval(`for i = 1, ${KEYS} do redis.call('set', 'filling:' .. i, 'x') end`, 0);
  await configure(server, 'loading-process-events-interval-bytes', '1024');
  await configure(server, 'key-load-delay', '500');
  const loader = await server.client();
  loader.call('DEBUG', 'RELOAD').catch(() => {});
  await waitFor(async () => isLoading(server), { what: 'the server to load' });
}

async function loadFast(server: RedisServer): Promise<void> {
  await configure(server, 'key-load-delay', '0');
  await waitFor(async () => !(await isLoading(server)), { deadlineMs: 20_000, what: 'the end of the load' });
}

async function isLoading(server: RedisServer): Promise<boolean> {
  const client = await server.client();
  try {
    return (await client.info('persistence')).includes('loading:1');
  } finally {
    client.disconnect();
  }
}
