import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { helloReply, resp } from '../support/resp-replies.js';
import { startRespStub } from '../support/resp-stub.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { WatchedView } from '../support/watched-view.js';
import { openProvider, recordOf } from './open-provider.js';

const PASSWORD = 'p';
/** What watching needs, and no more. */
const LEAST = [
  '+get',
  '+pttl',
  '+scan',
  '+client|id',
  '+client|tracking',
  '+client|trackinginfo',
  '+subscribe',
  '+ping',
  '&__redis__:invalidate',
] as const;
const TO_BE_TOLD = ['+client|id', '+client|tracking', '+subscribe', '&__redis__:invalidate'];
const TO_READ = ['+get', '+pttl', '+scan'];

let server: RedisServer;
let users = 0;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(() => server.stop());

beforeEach(async () => {
  await (await server.client()).flushall();
});

/** The URL of a new user with these permissions. */
async function urlFor(permissions: readonly string[], port = server.port): Promise<string> {
  const name = `user${users++}`;
  const rules = ['on', `>${PASSWORD}`, 'resetchannels', '~mastra:topic:lease:*', '-@all', ...permissions];
  await (await server.client()).call('ACL', 'SETUSER', name, ...rules);
  return `redis://${name}:${PASSWORD}@127.0.0.1:${port}`;
}

function watch(url: string, keys?: readonly string[]): WatchedView {
  const provider = openProvider(url);
  return WatchedView.of((options) => provider.watchLeases(options), keys ? { keys } : {});
}

/** Follows one lease from its claim to its end. */
async function expectToFollow(view: WatchedView): Promise<void> {
  const leases = openProvider(server.url);
  await leases.acquireLease('followed', 'o', 60_000);
  await view.until(() => view.leases.get('followed')?.owner === 'o');
  await leases.transferLease('followed', 'o', 'p', 60_000);
  await view.until(() => view.leases.get('followed')?.owner === 'p');
  await leases.releaseLease('followed', 'p');
  await view.until(() => !view.leases.has('followed'));
}

test('the least permissions are enough to be told', async () => {
  const view = watch(await urlFor(LEAST));
  await view.untilLive();
  expect(view.live).toMatchObject({ how: 'pushed' });
  await expectToFollow(view);
});

test('the names of keys alone need no SCAN', async () => {
  const view = watch(await urlFor(LEAST.filter((permission) => permission !== '+scan')), ['followed']);
  await view.untilLive();
  await expectToFollow(view);
});

test.each(TO_BE_TOLD)('without %s it polls, and says why', async (missing) => {
  const view = watch(await urlFor(LEAST.filter((permission) => permission !== missing)));
  await view.untilLive();
  expect(view.live).toEqual({
    kind: 'live',
    how: 'polling',
    intervalMs: 2_000,
    commandsPerSecond: expect.any(Number),
    why: expect.stringMatching(/^(CLIENT ID|CLIENT TRACKING|SUBSCRIBE) was refused: .*NOPERM/),
  });
});

test.each(TO_READ)('without %s there is nothing to see, which ends the watch', async (missing) => {
  await (await server.client()).set(recordOf('k'), 'o', 'PX', 60_000);
  const view = watch(await urlFor(LEAST.filter((permission) => permission !== missing)));
  await waitFor(() => view.end);
  expect(view.end).toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
});

test('a wrong password ends the watch, and one that is changed under it does not', async () => {
  const wrong = watch(`redis://nobody:x@127.0.0.1:${server.port}`);
  await waitFor(() => wrong.end);
  expect(wrong.end).toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
  const url = await urlFor(LEAST);
  const view = watch(url);
  await view.untilLive();
  const name = new URL(url).username;
  const admin = await server.client();
  await admin.call('ACL', 'SETUSER', name, 'resetpass');
  await admin.call('CLIENT', 'KILL', 'USER', name);
  await view.until(() => view.staleFor?.includes('WRONGPASS'));
  await admin.call('ACL', 'SETUSER', name, `>${PASSWORD}`);
  await view.untilLive();
});

describe('where CLIENT is not known', () => {
  test('changes are seen by looking, and each end when it comes', async () => {
    await using old = await startRedis({ args: ['--rename-command', 'CLIENT', ''] });
    await using proxy = await startTcpProxy(old);
    const direct = await old.client();
    await direct.set(recordOf('stays'), 'o', 'PX', 60_000);
    await direct.set(recordOf('released'), 'o', 'PX', 60_000);
    const view = watch(proxy.url);
    await view.untilLive();
    expect(view.live).toMatchObject({
      how: 'polling',
      // HELLO and one step, which finds the script unknown and sends it: asked every two seconds.
      commandsPerSecond: 2,
      why: expect.stringContaining('unknown command'),
    });
    expect(view.held).toEqual(['released=o', 'stays=o']);
    await direct.set(recordOf('short'), 'o', 'PX', 3_000);
    await direct.set(recordOf('stays'), 'p', 'PX', 60_000);
    await direct.del(recordOf('released'));
    await view.until(() => view.held.join() === 'short=o,stays=p');
    const { remainingMs = 0 } = view.leases.get('short') ?? {};
    const held = view.changes.findLast((change) => change.kind === 'held');
    const dueAtMs = (held?.readAtMs ?? 0) + Number(remainingMs);
    await view.until(() => view.freedAtMs.has('short'));
    expect((view.freedAtMs.get('short') ?? 0) - dueAtMs).toBeLessThan(1_000);
    expect(view.snapshots).toBe(1);
    await old.kill();
    await view.until(() => view.staleFor);
    await old.restart();
    await view.untilLive({ deadlineMs: 10_000 });
    expect(view.held).toEqual([]);
    expect(view.snapshots).toBe(2);
  });
});

test('a server that does not tell its role cannot say that a key is free: the watch ends with that', async () => {
  await using server5 = await startRedis({ args: ['--rename-command', 'HELLO', ''] });
  const view = watch(server5.url);
  await waitFor(() => view.end);
  expect(view.end).toMatchObject({ code: 'ERR_LEASE_UNVERIFIED' });
});

test('a replica is stale, and nothing on it is told free', async () => {
  await using stub = await startRespStub(([name]) => (name === 'hello' ? helloReply('replica') : resp.nil));
  const view = watch(stub.url);
  await view.until(() => view.staleFor);
  expect(view.staleFor).toContain('connected to a replica');
  expect(view.changes.map(({ kind }) => kind)).toEqual(['stale']);
});

test('a server that is loading is stale until it has loaded', async () => {
  let isLoading = true;
  await using stub = await startRespStub(([name, sub]) => {
    if (name === 'hello') return helloReply('master');
    if (isLoading) return resp.error('LOADING Redis is loading the dataset in memory');
    if (name === 'client' && sub === 'id') return resp.integer(7);
    if (name === 'subscribe') return resp.array(resp.bulk('subscribe'), resp.bulk('c'), resp.integer(1));
    return name === 'client' ? resp.simple('OK') : resp.array(resp.bulk('0'), resp.integer(1), resp.array());
  });
  const view = watch(stub.url);
  await view.until(() => view.staleFor);
  expect(view.staleFor).toContain('loading');
  isLoading = false;
  await view.untilLive();
  expect(view.live).toMatchObject({ how: 'pushed' });
});
