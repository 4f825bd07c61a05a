import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type RedisServer, startRedis } from './redis-server.js';
import { startTcpProxy } from './tcp-proxy.js';
import { waitFor } from './wait-for.js';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis({ password: 'secret' });
});

afterAll(() => server.stop());

/** A lean client through a new proxy: it sends AUTH and what it is told, and nothing again. */
async function connectThroughProxy() {
  const proxy = await startTcpProxy(server);
  const client = new Redis(proxy.url, {
    protocol: 2,
    enableReadyCheck: false,
    disableClientInfo: true,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  onTestFinished(async () => {
    client.disconnect();
    await proxy.stop();
  });
  await client.connect();
  return { proxy, client };
}

test('records each write, its commands and the round trips', async () => {
  const { proxy, client } = await connectThroughProxy();
  expect(proxy.commands).toEqual([['auth', 'secret']]);
  proxy.clear();
  await client
    .pipeline([
      ['set', 'user\0t', 'v'],
      ['pttl', 'user\0t'],
    ])
    .exec();
  await client.get('user\0t');
  expect(proxy.writes.map(({ commands }) => commands)).toEqual([
    [
      ['set', 'user\0t', 'v'],
      ['pttl', 'user\0t'],
    ],
    [['get', 'user\0t']],
  ]);
  expect(proxy.roundTrips).toBe(2);
  expect([proxy.connectionCount, proxy.openConnections]).toEqual([1, 1]);
});

test('drops the reply to a command that the server has carried out', async () => {
  const { proxy, client } = await connectThroughProxy();
  const direct = await server.client();
  await direct.set('counter', '0');
  const dropped = proxy.dropNextReply({ command: 'INCR' });
  expect(await client.get('counter')).toBe('0');
  await expect(client.incr('counter')).rejects.toThrow();
  await dropped;
  expect(await direct.get('counter')).toBe('1');
  expect(proxy.openConnections).toBe(0);
});

test('can leave a client without its reply on an open connection', async () => {
  const { proxy, client } = await connectThroughProxy();
  const dropped = proxy.dropNextReply({ outcome: 'hang' });
  let isSettled = false;
  void client
    .incr('hanging')
    .finally(() => {
      isSettled = true;
    })
    .catch(() => {});
  await dropped;
  expect(await (await server.client()).get('hanging')).toBe('1');
  expect([isSettled, proxy.openConnections]).toEqual([false, 1]);
});

test('cuts before a command reaches the server', async () => {
  const { proxy, client } = await connectThroughProxy();
  const cut = proxy.cutBeforeForward({ command: 'INCR' });
  await expect(client.incr('unsent')).rejects.toThrow();
  await cut;
  expect(await (await server.client()).get('unsent')).toBeNull();
  expect(proxy.commands.at(-1)).toEqual(['incr', 'unsent']);
});

test('a pause upwards keeps commands from the server, one downwards keeps the answers from the client', async () => {
  const { proxy, client } = await connectThroughProxy();
  const direct = await server.client();
  proxy.pause('up');
  const first = client.incr('paused');
  await waitFor(() => proxy.commands.some(([name]) => name === 'incr'));
  expect(await direct.get('paused')).toBeNull();
  proxy.resume('up');
  expect(await first).toBe(1);

  proxy.pause('down');
  let isAnswered = false;
  const second = client.incr('paused').then(() => {
    isAnswered = true;
  });
  await waitFor(async () => (await direct.get('paused')) === '2');
  expect(isAnswered).toBe(false);
  proxy.resume('down');
  await second;
});

test('refuses new connections while open ones go on, and accepts again', async () => {
  const { proxy, client } = await connectThroughProxy();
  proxy.refuseNew();
  const late = client.duplicate();
  late.on('error', () => {});
  await expect(late.connect()).rejects.toThrow();
  expect(await client.ping()).toBe('PONG');
  await proxy.acceptNew();
  await late.connect();
  expect(await late.ping()).toBe('PONG');
  late.disconnect();
});

test('cuts every connection, split frames arrive whole, and a delay holds an answer back', async () => {
  const { proxy, client } = await connectThroughProxy();
  proxy.splitFrames();
  expect(await client.echo('🔒'.repeat(50))).toBe('🔒'.repeat(50));
  proxy.splitFrames(false);
  proxy.setRoundTripMs(40);
  const startedAt = performance.now();
  await client.ping();
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(38);
  const closed = new Promise((resolve) => client.once('end', resolve));
  proxy.cut();
  await closed;
});

test('leads new connections elsewhere, and leaves open ones where they are', async () => {
  await using other = await startRedis({ password: 'secret' });
  const { proxy, client } = await connectThroughProxy();
  await client.set('where', 'here');
  proxy.retarget(other);
  expect(await client.get('where')).toBe('here');
  const later = new Redis(proxy.url);
  onTestFinished(() => later.disconnect());
  expect(await later.get('where')).toBeNull();
});
