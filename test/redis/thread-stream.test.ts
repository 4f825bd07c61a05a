import { Cluster, type Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ThreadActivity } from '../../src/lease/evidence.js';
import type { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { type RedisServer, startCluster, startRedis, startReplicaPair } from '../support/redis-server.js';
import { helloReply, resp } from '../support/resp-replies.js';
import { startRespStub } from '../support/resp-stub.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { codeOf, openProvider } from './open-provider.js';
import { eventJson, type MadeEvent, streamOf, writeHistory } from './thread-events.js';

const KEY = 'user-42\0t-1';
const TEXT = 'SECRET TEXT OF A USER';

let server: RedisServer;
let direct: Redis;

beforeAll(async () => {
  server = await startRedis();
  direct = await server.client();
});
afterAll(() => server.stop());
beforeEach(() => direct.flushall());

async function startProxy(): Promise<TcpProxy> {
  const proxy = await startTcpProxy(server);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** Reads a thread that has to have a stream. */
async function read(provider: RedisLeaseProvider, maxEvents?: number): Promise<ThreadActivity> {
  const activity = await provider.readThread(KEY, { maxEvents });
  if (!activity) throw new Error('there is no stream');
  return activity;
}

/** Adds entries of these JSON texts. */
async function add(jsons: readonly string[], key = KEY): Promise<void> {
  const pipeline = direct.pipeline();
  for (const json of jsons) pipeline.xadd(streamOf(key), '*', 'event', json);
  await pipeline.exec();
}

/** Adds `count` small parts of one run, by a script: it takes no time. */
async function addParts(count: number, run = 'run-1'): Promise<void> {
  const json = eventJson({ type: 'stream-part', runId: run, sourceId: 'p-1' });
  const script = "for i = 1, ARGV[2] do redis.call('XADD', KEYS[1], '*', 'event', ARGV[1]) end";
  await direct.eval(script, 1, streamOf(KEY), json, String(count));
}

/** What a history comes to. */
async function activityOf(
  history: readonly (readonly [agoMs: number, event: MadeEvent])[],
): Promise<ThreadActivity> {
  await writeHistory(direct, KEY, history);
  return read(openProvider(server.url));
}

function part(runId: string, sourceId: string, more: object = {}): MadeEvent {
  return { type: 'stream-part', runId, sourceId, part: { type: 'text-delta', text: TEXT }, ...more };
}

function registered(runId: string, sourceId: string, more: object = {}): MadeEvent {
  return { type: 'run-registered', runId, sourceId, ...more };
}

test('the events of a thread are read with their ages by the server, and never a text of them', async () => {
  const history = [
    [60_000, registered('run-1', 'p-1', { streamId: 's-1' })],
    [50_000, part('run-1', 'p-1', { streamId: 's-1' })],
    [
      40_000,
      { type: 'signal-enqueued', runId: 'run-1', sourceId: 'p-2', signal: { id: 'm', contents: TEXT } },
    ],
    [30_000, { type: 'run-failed', runId: 'run-1', error: TEXT }],
  ] as const;
  const activity = await activityOf(history);
  const at = (agoMs: number) => expect.toSatisfy((ms) => Math.abs(activity.nowMs - agoMs - ms) < 5_000);
  expect(activity).toEqual({
    stream: streamOf(KEY),
    nowMs: expect.any(Number),
    clock: 'server',
    length: 4,
    events: [
      {
        id: expect.stringMatching(/^\d+-0$/),
        atMs: at(60_000),
        type: 'run-registered',
        runId: 'run-1',
        process: 'p-1',
      },
      { id: expect.any(String), atMs: at(50_000), type: 'stream-part', runId: 'run-1', process: 'p-1' },
      { id: expect.any(String), atMs: at(40_000), type: 'signal-enqueued', runId: 'run-1', process: 'p-2' },
      { id: expect.any(String), atMs: at(30_000), type: 'run-failed', runId: 'run-1' },
    ],
    isWhole: true,
    readSinceMs: expect.any(Number),
    runs: [
      {
        runId: 'run-1',
        process: 'p-1',
        firstEventAtMs: at(60_000),
        registeredAtMs: at(60_000),
        lastEventAtMs: at(30_000),
        lastEventType: 'run-failed',
        state: 'ended',
      },
    ],
    waiting: { count: 1, sinceMs: at(40_000) },
    groups: 0,
    pending: 0,
    bytes: expect.any(Number),
    unreadable: 0,
  });
  expect(JSON.stringify(activity)).not.toContain(TEXT);
});

test('readers of the stream are counted, with what they have not acknowledged', async () => {
  await add([eventJson(part('run-1', 'p-1')), eventJson(part('run-1', 'p-1'))]);
  for (const group of ['__fanout-1', '__fanout-2']) {
    await direct.xgroup('CREATE', streamOf(KEY), group, '0');
    await direct.xreadgroup('GROUP', group, 'c', 'COUNT', 1, 'STREAMS', streamOf(KEY), '>');
  }
  expect(await read(openProvider(server.url))).toMatchObject({ length: 2, groups: 2, pending: 2 });
});

test('a thread without a stream is told from one whose stream is empty', async () => {
  const provider = openProvider(server.url);
  expect(await provider.readThread(KEY)).toBeUndefined();
  await direct.xgroup('CREATE', streamOf(KEY), 'g', '0', 'MKSTREAM');
  expect(await read(provider)).toMatchObject({ length: 0, events: [], isWhole: true, groups: 1, runs: [] });
});

test('only the stream of exactly this thread is read, whatever is in its ids', async () => {
  const keys = [KEY, 'user-42\0t-1.x', 'user-42\0t', '\0t', 'a/b:c\0é🔒 %41', 'a/b:c\0é🔒 A', 'no thread'];
  for (const key of keys) await add([eventJson(part(`run of ${key}`, 'p'))], key);
  await direct.xadd(`${streamOf(KEY)}.idle-acceptance.1`, '*', 'event', eventJson(part('reply', 'p')));
  const provider = openProvider(server.url);
  for (const key of keys) {
    expect((await provider.readThread(key))?.runs.map(({ runId }) => runId)).toEqual([`run of ${key}`]);
  }
  await add([eventJson(part('mine', 'p'))]);
  expect(await openProvider(server.url, { keyPrefix: 'other' }).readThread(KEY)).toBeUndefined();
});

test('something else in the place of the stream is an error, not an empty thread', async () => {
  await direct.set(streamOf(KEY), 'x');
  expect(await codeOf(openProvider(server.url).readThread(KEY))).toBe('ERR_LEASE_WRONG_TYPE');
  expect(await codeOf(openProvider(server.url).readThread('\ud800\0t'))).toBe('ERR_LEASE_INVALID_KEY');
});

test('the lease and the first look at the events go out in one write', async () => {
  await add([eventJson(part('run-1', 'p-1'))]);
  const proxy = await startProxy();
  const provider = openProvider(proxy.url, { connection: 'one-shot' });
  await Promise.all([provider.readLease(KEY), provider.readThread(KEY)]);
  expect(proxy.writes.map(({ commands }) => commands.map(([name]) => name))).toEqual([
    ['hello', 'eval', 'xrevrange', 'xlen', 'xinfo', 'memory', 'time'],
  ]);
});

describe('what is no event', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const withData = (data: string) => `{"type":"stream-part","runId":"run-1","data":${data}}`;
  const NO_EVENTS: Readonly<Record<string, string>> = {
    'no JSON': '{"type":',
    'an empty text': '',
    'half a character': '\u0000\ufffd',
    'a number': '7',
    null: 'null',
    'a list': '[{"type":"stream-part"}]',
    'a list 10,000 deep': deep(10_000),
    'an event with data 10,000 deep': withData(deep(10_000)),
    'an event without a type': '{"runId":"run-1"}',
    'a type that is a list': '{"type":["stream-part"],"runId":"run-1"}',
    'a type of a megabyte': `{"type":"${'x'.repeat(1_000_000)}","runId":"run-1"}`,
    'a run that is an object': '{"type":"stream-part","runId":{"toString":"x"}}',
    'a run without a name': '{"type":"stream-part","runId":""}',
    'a run with a very long name': `{"type":"stream-part","runId":"${'x'.repeat(2_000)}"}`,
    'a process that is a number': withData('{"sourceId":7}'),
    'a stream that is null': withData('{"streamId":null}'),
    'a message whose id is a list': '{"type":"signal-enqueued","runId":"r","data":{"signal":{"id":[1]}}}',
  };

  test.each(Object.entries(NO_EVENTS))('is counted: %s', async (_, json) => {
    await add([eventJson(registered('run-1', 'p-1')), json, eventJson(part('run-1', 'p-1'))]);
    const activity = await read(openProvider(server.url));
    expect(activity).toMatchObject({ unreadable: 1, length: 3, isWhole: true });
    expect(activity.events.map(({ type }) => type)).toEqual(['run-registered', 'stream-part']);
  });

  test('is an entry without the field, or with bytes that are no text', async () => {
    await direct.xadd(streamOf(KEY), '*', 'other', eventJson(part('run-1', 'p-1')));
    await direct.xadd(streamOf(KEY), '*', 'event', Buffer.from([0xff, 0xfe, 0x00]));
    await direct.xadd(streamOf(KEY), '*', 'a', 'b', 'event', eventJson(part('run-1', 'p-1')));
    expect(await read(openProvider(server.url))).toMatchObject({
      unreadable: 2,
      events: [{ runId: 'run-1' }],
    });
  });

  test('is not an event of a kind that is not known, with names that objects have anyway', async () => {
    const names = ['toString', '__proto__', 'constructor', 'a-new-kind', 'line\nbreak'];
    await add(names.map((type) => eventJson({ type, runId: type, sourceId: type })));
    const activity = await read(openProvider(server.url));
    expect(activity.events.map(({ type, runId }) => [type, runId])).toEqual(
      names.map((name) => [name, name]),
    );
    expect(activity).toMatchObject({ unreadable: 0, runs: [] });
  });
});

describe('a long stream', () => {
  test('is read from its end, a thousand events of it, in three steps', async () => {
    await add([eventJson(registered('run-1', 'p-1'))]);
    await addParts(200_000);
    const proxy = await startProxy();
    const activity = await read(openProvider(proxy.url));
    expect(activity).toMatchObject({ length: 200_001, isWhole: false, unreadable: 0 });
    expect(activity.events).toHaveLength(1_000);
    expect(activity.runs).toMatchObject([{ runId: 'run-1', process: 'p-1', state: 'unfinished' }]);
    expect(activity.runs[0]).not.toHaveProperty('registeredAtMs');
    expect(proxy.roundTrips).toBe(3);
  });

  test('of megabytes an entry is read as far as a few of them go', async () => {
    const big = eventJson({ ...part('run-1', 'p-1'), text: 'x'.repeat(1_000_000) });
    for (let added = 0; added < 40; added += 1) await add([big]);
    const activity = await read(openProvider(server.url, { timeoutMs: 20_000 }));
    expect(activity).toMatchObject({ length: 40, isWhole: false });
    expect(activity.events).toHaveLength(16);
  });

  test('of megabytes an entry, under small ones, is read by what the server says it has', async () => {
    const big = eventJson({ ...part('run-1', 'p-1'), text: 'x'.repeat(1_000_000) });
    for (let added = 0; added < 40; added += 1) await add([big]);
    await addParts(16);
    const activity = await read(openProvider(server.url, { timeoutMs: 20_000 }));
    expect(activity).toMatchObject({ length: 56, isWhole: false });
    expect(activity.events.length).toBeLessThan(16 + 20);
  });

  test('is never read further than it may be, nor twice, nor with a gap', async () => {
    await addParts(300);
    const ids = (await direct.xrange(streamOf(KEY), '-', '+')).map(([id]) => id);
    const provider = openProvider(server.url);
    for (const maxEvents of [1, 2, 15, 16, 17, 143, 144, 145, 299, 300, 301]) {
      const activity = await read(provider, maxEvents);
      expect(activity.events.map(({ id }) => id)).toEqual(ids.slice(-maxEvents));
      expect([maxEvents, activity.isWhole]).toEqual([maxEvents, maxEvents >= 300]);
    }
  });

  test('is whole up to its very first entry', async () => {
    for (const id of ['0-1', '0-2', '5-0', '5-18446744073709551615', '6-0']) {
      await direct.xadd(streamOf(KEY), id, 'event', eventJson(part('run-1', 'p-1')));
    }
    for (let added = 0; added < 20; added += 1) await add([eventJson(part('run-1', 'p-1'))]);
    const activity = await read(openProvider(server.url));
    expect(activity.events).toHaveLength(25);
    expect(activity.isWhole).toBe(true);
  });

  test('that cannot be read further tells what was read', async () => {
    const json = eventJson(part('run-1', 'p-1'));
    const entry = (id: number) =>
      resp.array(resp.bulk(`${id}-0`), resp.array(resp.bulk('event'), resp.bulk(json)));
    const page = resp.array(...Array.from({ length: 16 }, (_, index) => entry(100 - index)));
    const answers: Readonly<Record<string, string>> = {
      hello: helloReply('master'),
      xlen: resp.integer(300),
    };
    await using stub = await startRespStub(([name, , end]) => {
      if (name === 'xrevrange') return end === '+' ? page : 'hang';
      return answers[`${name}`] ?? resp.error('ERR unknown command');
    });
    const activity = await read(openProvider(stub.url, { timeoutMs: 2_000 }));
    expect(activity).toMatchObject({ length: 300, isWhole: false });
    expect(activity.events.map(({ atMs }) => atMs)).toEqual(
      Array.from({ length: 16 }, (_, index) => 85 + index),
    );
  });
});

test('500 threads at once each get their own answer, on one connection', async () => {
  const keys = Array.from({ length: 500 }, (_, index) => `user-${index}\0t`);
  const pipeline = direct.pipeline();
  for (const key of keys) {
    const json = eventJson(part(`run of ${key}`, 'p'));
    for (let added = 0; added < 20; added += 1) pipeline.xadd(streamOf(key), '*', 'event', json);
  }
  await pipeline.exec();
  const proxy = await startProxy();
  const provider = openProvider(proxy.url, { timeoutMs: 15_000 });
  const activities = await Promise.all(keys.map((key) => provider.readThread(key, { maxEvents: 16 })));
  expect(activities.map((activity) => activity?.runs.map(({ runId }) => runId))).toEqual(
    keys.map((key) => [`run of ${key}`]),
  );
  expect(activities.every((activity) => activity?.events.length === 16)).toBe(true);
  expect(proxy.connectionCount).toBe(1);
  expect(proxy.roundTrips).toBe(1);
});

describe('a user who may not do everything', () => {
  let users = 0;

  async function urlFor(...permissions: readonly string[]): Promise<string> {
    const name = `user${users++}`;
    await direct.call('ACL', 'SETUSER', name, 'on', '>p', '~mastra:topic:*', '-@all', ...permissions);
    return `redis://${name}:p@127.0.0.1:${server.port}`;
  }

  test('needs XREVRANGE alone, and is then told less: the clock is the host’s', async () => {
    await addParts(3);
    const activity = await read(openProvider(await urlFor('+xrevrange')));
    expect(activity).toMatchObject({ clock: 'host', length: 3, isWhole: true, runs: [{ runId: 'run-1' }] });
    expect(Math.abs(activity.nowMs - Date.now())).toBeLessThan(20_000);
    for (const told of ['groups', 'pending', 'bytes']) expect(activity).not.toHaveProperty(told);
    await addParts(30);
    expect(await read(openProvider(await urlFor('+xrevrange')), 20)).toMatchObject({
      length: 20,
      isWhole: false,
    });
  });

  test('is told everything with four commands more', async () => {
    await addParts(3);
    const url = await urlFor('+xrevrange', '+xlen', '+xinfo|groups', '+memory|usage', '+time');
    expect(await read(openProvider(url))).toMatchObject({
      clock: 'server',
      groups: 0,
      bytes: expect.any(Number),
    });
  });

  test('is refused without XREVRANGE, and never told that there is nothing', async () => {
    const url = await urlFor('+get', '+pttl', '+xlen', '+xinfo', '+memory', '+time');
    expect(await codeOf(openProvider(url).readThread(KEY))).toBe('ERR_LEASE_NOT_PERMITTED');
  });
});

test('a replica, and a server that does not say what it is, never say that there is nothing', async () => {
  await using pair = await startReplicaPair();
  const primary = await pair.primary.client();
  await primary.xadd(streamOf(KEY), '*', 'event', eventJson(part('run-1', 'p-1')));
  await pair.sync();
  const replica = openProvider(pair.replica.url);
  expect((await replica.readThread(KEY))?.runs).toHaveLength(1);
  expect(await codeOf(replica.readThread('user\0other'))).toBe('ERR_LEASE_UNREACHABLE');

  const empty: Readonly<Record<string, string>> = { xrevrange: resp.array(), xlen: resp.integer(0) };
  await using stub = await startRespStub(
    (command) => empty[`${command[0]}`] ?? resp.error('ERR unknown command'),
  );
  expect(await codeOf(openProvider(stub.url).readThread(KEY))).toBe('ERR_LEASE_UNVERIFIED');
});

test('in a cluster the server that has the stream is found', async () => {
  await using cluster = await startCluster();
  const writer = new Cluster(cluster.nodes.map(({ host, port }) => ({ host, port })));
  onTestFinished(() => writer.disconnect());
  const provider = openProvider(cluster.url);
  for (const key of ['a\0t', 'b\0t', 'c\0t', 'd\0t', 'e\0t', 'f\0t']) {
    expect(await provider.readThread(key)).toBeUndefined();
    await writer.xadd(streamOf(key), '*', 'event', eventJson(part(`run of ${key}`, 'p')));
    expect((await provider.readThread(key))?.runs).toMatchObject([{ runId: `run of ${key}` }]);
  }
});

test('a frozen server ends it in time, and so does a signal', async () => {
  await addParts(1);
  const frozen = await startRedis();
  onTestFinished(() => frozen.stop());
  const provider = openProvider(frozen.url, { timeoutMs: 2_000 });
  await provider.readThread(KEY);
  frozen.pause();
  expect(await codeOf(provider.readThread(KEY))).toBe('ERR_LEASE_UNREACHABLE');
  const patient = openProvider(frozen.url, { timeoutMs: 60_000 });
  const reason = new Error('enough');
  await expect(patient.readThread(KEY, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const stop = new AbortController();
  const reading = patient.readThread(KEY, { signal: stop.signal });
  stop.abort(reason);
  await expect(reading).rejects.toBe(reason);
  frozen.resume();
  await provider.close();
  expect(await codeOf(provider.readThread(KEY))).toBe('ERR_LEASE_CLOSED');
});

test('reading changes nothing: no key, no group, no write that the server counted', async () => {
  await addParts(300);
  await direct.set('mastra:topic:lease:other', 'o', 'PX', 600_000);
  await direct.xgroup('CREATE', streamOf(KEY), 'g', '0');
  const provider = openProvider(server.url);
  await provider.readThread(KEY);
  const before = await footprint();
  await provider.readThread(KEY);
  await provider.readThread('user\0nowhere');
  expect(await footprint()).toEqual(before);
});

/** Every key with its bytes, every group, and how many commands of each name that is no read were served. */
async function footprint() {
  const keys = (await direct.keys('*')).sort();
  const dumps = await Promise.all(keys.map(async (key) => (await direct.dumpBuffer(key)).toString('hex')));
  const groups = await direct.xinfo('GROUPS', streamOf(KEY));
  const calls = [...(await direct.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
    .map(([, name, count]) => [name, count])
    .filter(([name]) => !READS.has(`${name}`));
  return { keys, dumps, groups, calls: Object.fromEntries(calls) };
}

const READS = new Set(
  'xrevrange xlen xinfo|groups memory|usage time hello info keys dump client|setinfo'.split(' '),
);

describe('what became of a run', () => {
  const S1 = { streamId: 's-1' };
  const S2 = { streamId: 's-2' };
  const suspended = (more: object = {}): MadeEvent => ({ type: 'run-suspended', runId: 'r', ...more });
  const ended = (type: string, more: object = {}): MadeEvent => ({ type, runId: 'r', ...more });

  const HISTORIES: readonly (readonly [
    what: string,
    history: Parameters<typeof activityOf>[0],
    run: object,
  ])[] = [
    [
      'it works',
      [
        [9_000, registered('r', 'p')],
        [5_000, part('r', 'p')],
      ],
      { state: 'unfinished', process: 'p' },
    ],
    [
      'it works, and when it began is not known',
      [[5_000, part('r', 'p')]],
      { state: 'unfinished', process: 'p' },
    ],
    ...['run-completed', 'run-failed', 'run-aborted', 'run-discarded'].map(
      (type) =>
        [
          `it has ended: ${type}`,
          [
            [9_000, registered('r', 'p', S1)],
            [5_000, ended(type, S1)],
          ],
          { state: 'ended', lastEventType: type },
        ] as const,
    ),
    [
      'it is suspended',
      [
        [9_000, registered('r', 'p', S1)],
        [5_000, suspended(S1)],
      ],
      { state: 'suspended' },
    ],
    [
      'it is suspended, and parts that were on their way came after',
      [
        [9_000, registered('r', 'p', S1)],
        [5_000, suspended(S1)],
        [4_990, part('r', 'p', S1)],
      ],
      { state: 'suspended', lastEventType: 'run-suspended' },
    ],
    [
      'it is aborted, and its last parts came after',
      [
        [9_000, part('r', 'p', S1)],
        [5_000, ended('run-aborted', S1)],
        [4_999, part('r', 'p', S1)],
      ],
      { state: 'ended', lastEventType: 'run-aborted' },
    ],
    [
      'it was aborted and goes on all the same',
      [
        [9_000, part('r', 'p', S1)],
        [5_000, ended('run-aborted', S1)],
        [2_000, part('r', 'p', S1)],
      ],
      { state: 'unfinished' },
    ],
    [
      'it goes on after it was suspended, in the same stream (a durable agent)',
      [
        [9_000, part('r', 'p', S1)],
        [5_000, suspended(S1)],
        [2_000, part('r', 'p', S1)],
      ],
      { state: 'unfinished' },
    ],
    [
      'it was resumed',
      [
        [9_000, registered('r', 'p', S1)],
        [8_000, suspended(S1)],
        [5_000, registered('r', 'p', S2)],
      ],
      { state: 'unfinished', registeredAtMs: expect.any(Number) },
    ],
    [
      'it was resumed by another process, and what the old one still says does not count',
      [
        [9_000, registered('r', 'p', S1)],
        [8_000, suspended(S1)],
        [5_000, registered('r', 'q', S2)],
        [4_900, part('r', 'p', S1)],
        [4_800, ended('run-completed', S1)],
      ],
      { state: 'unfinished', process: 'q' },
    ],
    [
      'it was resumed, and suspended again',
      [
        [9_000, registered('r', 'p', S1)],
        [8_000, registered('r', 'p', S2)],
        [5_000, suspended(S2)],
      ],
      { state: 'suspended' },
    ],
    [
      'it ended after it was resumed, whatever was late',
      [
        [9_000, registered('r', 'p', S1)],
        [8_000, registered('r', 'p', S2)],
        [7_900, part('r', 'p', S1)],
        [5_000, ended('run-completed', S2)],
      ],
      { state: 'ended' },
    ],
    [
      'two processes produce under its id',
      [
        [9_000, registered('r', 'p', S1)],
        [8_000, registered('r', 'q', S2)],
        [5_000, part('r', 'p', S1)],
        [4_000, part('r', 'q', S2)],
      ],
      { state: 'unfinished', process: 'q', rivals: [{ process: 'p', lastEventAtMs: expect.any(Number) }] },
    ],
    [
      'somebody asked it to end, and it did not answer',
      [
        [9_000, part('r', 'p')],
        [5_000, { type: 'run-abort-requested', runId: 'r' }],
      ],
      { state: 'unfinished', lastEventType: 'stream-part', abortRequestedAtMs: expect.any(Number) },
    ],
  ];

  test.each(HISTORIES)('%s', async (_, history, run) => {
    const { runs, nowMs } = await activityOf(history);
    expect(runs).toEqual([expect.objectContaining({ runId: 'r', ...run })]);
    expect(runs[0]?.lastEventAtMs).toBeLessThanOrEqual(nowMs);
    if (!('rivals' in run)) expect(runs[0]).not.toHaveProperty('rivals');
    if (!('abortRequestedAtMs' in run)) expect(runs[0]).not.toHaveProperty('abortRequestedAtMs');
  });

  test('runs come in the order in which they were first heard of, and messages are no sign of any', async () => {
    const { runs } = await activityOf([
      [9_000, part('b', 'p')],
      [8_000, part('a', 'p')],
      [7_000, { type: 'signal-enqueued', runId: 'c', sourceId: 'q' }],
      [6_000, { type: 'run-abort-requested', runId: 'd' }],
      [5_000, part('b', 'p')],
    ]);
    expect(runs.map(({ runId }) => runId)).toEqual(['b', 'a']);
  });
});

describe('messages that wait', () => {
  const message = (id?: string, more: object = {}): MadeEvent => ({
    type: 'signal-enqueued',
    runId: 'r',
    sourceId: 'q',
    ...(id !== undefined && { signal: { id, contents: TEXT } }),
    ...more,
  });
  const taken = (id: string, type = 'data-user-message') => part('r', 'p', { part: { type, data: { id } } });
  const completed = (runId: string, persisted: boolean): MadeEvent => ({
    type: 'run-completed',
    runId,
    persisted,
  });

  const HISTORIES: readonly (readonly [
    what: string,
    history: Parameters<typeof activityOf>[0],
    waiting: { readonly count: number; readonly agoMs: number } | undefined,
  ])[] = [
    ['none', [[9_000, part('r', 'p')]], undefined],
    [
      'two, of which the older came 8 s ago',
      [
        [8_000, message('a')],
        [5_000, message('b')],
      ],
      { count: 2, agoMs: 8_000 },
    ],
    [
      'one, though its run goes on',
      [
        [8_000, message('a')],
        [5_000, part('r', 'p')],
      ],
      { count: 1, agoMs: 8_000 },
    ],
    [
      'none: it was taken up',
      [
        [8_000, message('a')],
        [5_000, taken('a')],
      ],
      undefined,
    ],
    [
      'none: a signal was taken up',
      [
        [8_000, message('a')],
        [5_000, taken('a', 'data-signal')],
      ],
      undefined,
    ],
    [
      'one of two',
      [
        [8_000, message('a')],
        [7_000, message('b')],
        [5_000, taken('a')],
      ],
      { count: 1, agoMs: 7_000 },
    ],
    [
      'one, though sent on',
      [
        [8_000, message('a')],
        [5_000, message('a', { runId: 's' })],
      ],
      { count: 1, agoMs: 8_000 },
    ],
    [
      'one: the other was cancelled',
      [
        [8_000, message('a')],
        [7_000, message('b')],
        [5_000, { type: 'signals-cancelled', signalIds: ['a', 7] }],
      ],
      { count: 1, agoMs: 7_000 },
    ],
    [
      'none: whoever aborted the run cleared them',
      [
        [8_000, message('a')],
        [5_000, { type: 'run-abort-requested', runId: 'r', clearPendingSignals: true }],
      ],
      undefined,
    ],
    [
      'none: a run that began later has ended well',
      [
        [8_000, message('a')],
        [7_000, registered('s', 'p')],
        [5_000, completed('s', true)],
      ],
      undefined,
    ],
    [
      'one: the run that began later failed',
      [
        [8_000, message('a')],
        [7_000, registered('s', 'p')],
        [5_000, completed('s', false)],
      ],
      { count: 1, agoMs: 8_000 },
    ],
    [
      'one: the run that ended began before',
      [
        [9_000, registered('s', 'p')],
        [8_000, message('a')],
        [5_000, completed('s', true)],
      ],
      { count: 1, agoMs: 8_000 },
    ],
    ['one without an id', [[8_000, message()]], { count: 1, agoMs: 8_000 }],
    [
      'none: after one without an id its run went on',
      [
        [8_000, message()],
        [5_000, part('r', 'p')],
      ],
      undefined,
    ],
    [
      'none: an offer to an idle process whose time is over',
      [[8_000, message('a', { type: 'idle-signal-enqueued', expiresAt: 1 })]],
      undefined,
    ],
    [
      'one: an offer to an idle process which it may have put behind its run',
      [
        [9_000, part('r', 'p')],
        [8_000, message('a', { type: 'idle-signal-enqueued', expiresAt: 1 })],
      ],
      { count: 1, agoMs: 8_000 },
    ],
  ];

  test.each(HISTORIES)('%s', async (_, history, expected) => {
    const { waiting, nowMs } = await activityOf(history);
    expect(waiting?.count).toBe(expected?.count);
    if (waiting && expected) expect(Math.abs(nowMs - waiting.sinceMs - expected.agoMs)).toBeLessThan(900);
  });
});
