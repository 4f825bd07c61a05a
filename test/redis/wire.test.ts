import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis, startSentinel } from '../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { listKeys, openProvider, recordOf, VERB_NAMES, VERBS } from './open-provider.js';

let server: RedisServer;
let proxy: TcpProxy;

beforeAll(async () => {
  server = await startRedis({ password: 'wire-secret' });
  proxy = await startTcpProxy(server);
});

afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

/** The names of the commands of each write, in lower case. */
function writes(): string[][] {
  return proxy.writes.map(({ commands }) => commands.map(([name]) => name?.toLowerCase() ?? ''));
}

/** The same, however the network has put writes together: what goes out with one HELLO. */
function batches(): string[][] {
  const all: string[][] = [[]];
  for (const name of writes().flat()) {
    if (name === 'hello') all.push([]);
    all.at(-1)?.push(name);
  }
  return all.filter((names) => names.length > 0);
}

describe.each(VERB_NAMES)('%s', (verb) => {
  test('one-shot: logs in with one write, then sends HELLO and one command in one write and one round trip', async () => {
    proxy.clear();
    const provider = openProvider(`${proxy.url}/3`, { connection: 'one-shot' });
    await VERBS[verb](provider, `one-shot ${verb}`);
    expect(writes()).toEqual([
      ['auth', 'select'],
      ['hello', verb === 'getLeaseOwner' ? 'get' : 'eval'],
    ]);
    expect(proxy.roundTrips).toBe(2);
  });

  test('kept: sends the script by its hash, and its text only to a server that does not know it', async () => {
    const direct = await server.client();
    await direct.script('FLUSH');
    const provider = openProvider(proxy.url);
    const command = verb === 'getLeaseOwner' ? 'get' : 'evalsha';
    await VERBS[verb](provider, `kept ${verb}`);
    proxy.clear();
    await VERBS[verb](provider, `kept ${verb}`);
    expect(writes()).toEqual([['hello', command]]);
    await direct.script('FLUSH');
    proxy.clear();
    await VERBS[verb](provider, `kept ${verb}`);
    expect(writes().flat()).toEqual(
      verb === 'getLeaseOwner' ? ['hello', 'get'] : ['hello', 'evalsha', 'hello', 'eval'],
    );
  });
});

test('nothing precedes the verb where there is nothing to log in to', async () => {
  await using open = await startRedis();
  await using through = await startTcpProxy(open);
  await openProvider(through.url, { connection: 'one-shot' }).acquireLease('k', 'o', 1_000);
  expect(through.writes.map(({ commands }) => commands.map(([name]) => name))).toEqual([['hello', 'eval']]);
});

test('calls of one tick share one connection: four go ahead, the others after them, HELLO before both', async () => {
  const provider = openProvider(proxy.url, { connection: 'one-shot' });
  await provider.getLeaseOwner('warm up');
  proxy.clear();
  await Promise.all([
    ...VERB_NAMES.map((verb) => VERBS[verb](provider, `tick ${verb}`)),
    provider.getLeaseOwner('tick again'),
  ]);
  const [ahead, others, ...more] = batches();
  expect(ahead).toHaveLength(1 + 4);
  expect([...(ahead ?? []), ...(others ?? [])].sort()).toEqual([
    'eval',
    'eval',
    'eval',
    'eval',
    'eval',
    'get',
    'get',
    'hello',
    'hello',
  ]);
  expect(more).toEqual([]);
  expect(writes().length).toBeLessThanOrEqual(2);
});

test('first calls of one tick share the connect and the login too', async () => {
  proxy.clear();
  const before = proxy.connectionCount;
  const provider = openProvider(proxy.url, { connection: 'one-shot' });
  await Promise.all(VERB_NAMES.map((verb) => VERBS[verb](provider, `cold ${verb}`)));
  expect(proxy.connectionCount).toBe(before + 1);
  const sent = VERB_NAMES.map((verb) => (verb === 'getLeaseOwner' ? 'get' : 'eval'));
  expect(batches()).toEqual([['auth'], ['hello', ...sent.slice(0, 4)], ['hello', ...sent.slice(4)]]);
});

test('no verb and no listing sends INFO, CLIENT, CONFIG, COMMAND or KEYS, over a whole life with faults', async () => {
  proxy.clear();
  for (const connection of ['kept', 'one-shot'] as const) {
    const provider = openProvider(`${proxy.url}/2`, { connection });
    for (const verb of VERB_NAMES) await VERBS[verb](provider, `life ${verb}`);
    proxy.cut();
    await provider.readLease('life after death');
    for (const verb of VERB_NAMES) await VERBS[verb](provider, `life ${verb}`);
    await listKeys(provider);
    await provider.close();
  }
  const sent = new Set(proxy.commands.map(([name]) => name?.toLowerCase()));
  expect([...sent].sort()).toEqual(['auth', 'eval', 'evalsha', 'get', 'hello', 'select']);
});

test('behind a Sentinel the data node gets the same, and the Sentinel one question', async () => {
  await using rig = await startSentinel({ password: 'wire-secret' });
  const [sentinel] = rig.sentinels;
  if (!sentinel) throw new Error('no sentinel');
  await using asked = await startTcpProxy(sentinel);
  const data = await rig.primary.client();
  const monitor = await data.monitor();
  const seen: string[][] = [];
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    if (source !== 'lua') seen.push(args);
  });
  const url = rig.url.replace(/@[^/]*/, `@127.0.0.1:${asked.port}`);
  await openProvider(url, { connection: 'one-shot' }).acquireLease('k', 'o', 10_000);
  await data.set('end', '1');
  await expect.poll(() => seen.some(([name]) => name === 'set')).toBe(true);
  monitor.disconnect();
  expect(asked.commands.map(([name]) => name)).toEqual(['hello', 'sentinel']);
  const ours = seen.filter(
    (args) => args.includes(recordOf('k')) || /^(client|info|command)$/i.test(args[0] ?? ''),
  );
  expect(ours.map(([name]) => name)).toEqual(['eval']);
});
