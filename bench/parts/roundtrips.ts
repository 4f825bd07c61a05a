import { startRedis } from '../../test/support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.js';
import { makeTempDir } from '../../test/support/temp-dir.js';
import { atMost, type Findings, type Part, round } from '../harness/part.js';
import { BIN, runAside } from '../harness/processes.js';
import { interleave } from '../harness/sample.js';

const RTT_MS = 50;
const ROUNDS = 7;

export const roundTripsPart: Part = {
  name: 'roundtrips',
  title: 'Handshake and round trips',
  work: 'each verb through a proxy that writes down what is sent, and through one that adds 50 ms to each round trip',
  peer: 'the same through the proxy without the delay',
  limit: 'one command in one round trip, and with a password one more before it',
  run,
};

/** The verbs, and what each has to find. */
const VERBS: readonly { readonly args: readonly string[]; readonly holder?: string }[] = [
  { args: ['owner', 'k'], holder: 'me' },
  { args: ['acquire', 'k', '--owner', 'me', '--ttl', '20s'] },
  { args: ['renew', 'k', '--owner', 'me', '--ttl', '20s'], holder: 'me' },
  { args: ['transfer', 'k', '--from', 'me', '--to', 'you', '--ttl', '20s'], holder: 'me' },
  { args: ['release', 'k', '--owner', 'me'], holder: 'me' },
];

interface Measured {
  readonly verb: string;
  readonly commands: readonly string[];
  readonly bytes: number;
  readonly trips: number;
  /** By how many added delays it took longer. */
  readonly delays: number;
}

async function run(): Promise<Findings> {
  await using home = await makeTempDir();
  const open = await measureServer(home.path, undefined);
  const secret = await measureServer(home.path, 'a-password');
  const rows = (measured: readonly Measured[]) =>
    measured.map(({ verb, commands, bytes, trips, delays }) => [
      `\`${verb}\``,
      commands.join(', '),
      String(bytes),
      String(trips),
      round(delays),
    ]);
  const columns = ['Verb', 'Commands sent', 'Bytes sent', 'Round trips', `Added delays of ${RTT_MS} ms`];
  const most = (measured: readonly Measured[], of: (one: Measured) => number) =>
    Math.max(...measured.map(of));
  const verbCommands = open.map(({ commands }) => commands.filter((name) => name !== 'HELLO').length);
  return {
    tables: [
      { title: 'Without a password', columns, rows: rows(open) },
      { title: 'With a password and a database', columns, rows: rows(secret) },
    ],
    goals: [
      atMost('commands that a verb is, besides HELLO in the same write', Math.max(...verbCommands), 1),
      atMost(
        'round trips of a verb',
        most(open, ({ trips }) => trips),
        1,
      ),
      atMost(
        'round trips with a password',
        most(secret, ({ trips }) => trips),
        2,
      ),
      atMost(
        'delays with a password, after the connect',
        most(secret, ({ delays }) => delays),
        2.2,
      ),
    ],
  };
}

async function measureServer(home: string, password: string | undefined): Promise<readonly Measured[]> {
  await using redis = await startRedis(password === undefined ? {} : { password });
  await using proxy = await startTcpProxy(redis);
  const admin = await redis.client();
  const backend = password === undefined ? proxy.url : `${proxy.url}/1`;
  if (password !== undefined) await admin.select(1);
  const measured: Measured[] = [];
  for (const { args, holder } of VERBS) {
    const prepare = async () => {
      await admin.del('mastra:topic:lease:k');
      if (holder !== undefined) await admin.set('mastra:topic:lease:k', holder, 'PX', 60_000);
    };
    const runVerb = async () => {
      await prepare();
      return runAside([process.execPath, BIN, ...args, '--backend', backend], { HOME: home });
    };
    // The first run of a script on a server has it by its text.
    await runVerb();
    proxy.clear();
    await runVerb();
    const sent = await spyOn(proxy);
    const samples = await interleave(
      {
        near: async () => {
          proxy.setRoundTripMs(0);
          return runVerb();
        },
        far: async () => {
          proxy.setRoundTripMs(RTT_MS);
          return runVerb();
        },
      },
      { rounds: ROUNDS, warmUps: 0 },
    );
    proxy.setRoundTripMs(0);
    // The quickest of each: what else the machine does comes on top.
    const delays = (samples('far').quantile(0) - samples('near').quantile(0)) / RTT_MS;
    measured.push({ verb: args[0] ?? '', ...sent, delays });
  }
  return measured;
}

async function spyOn(proxy: TcpProxy): Promise<Omit<Measured, 'verb' | 'delays'>> {
  return {
    commands: proxy.commands.map(([name = '']) => name.toUpperCase()),
    bytes: proxy.writes.reduce((sum, { bytes }) => sum + bytes.length, 0),
    trips: proxy.roundTrips,
  };
}
