import { afterAll, beforeAll, describe, expect, type onTestFinished, test } from 'vitest';
import { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { findFreePort } from '../support/free-port.js';
import { type RedisServer, startRedis, startReplicaPair, startSentinel } from '../support/redis-server.js';
import { helloReply, resp } from '../support/resp-replies.js';
import { startRespStub } from '../support/resp-stub.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { WatchedView } from '../support/watched-view.js';
import { recordOf } from './open-provider.js';

/** What is promised: a connection that is dead without having ended is noticed by then. */
const NOTICED_MS = 10_000;
const SLOW_TEST_MS = 30_000;

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis();
});

afterAll(() => server.stop());

interface Context {
  readonly onTestFinished: typeof onTestFinished;
}

function open({ onTestFinished: atEnd }: Context, url: string): RedisLeaseProvider {
  const provider = new RedisLeaseProvider({ url });
  atEnd(() => provider.close());
  return provider;
}

function watch(context: Context, url: string): WatchedView {
  const provider = open(context, url);
  return WatchedView.of((options) => provider.watchLeases(options), { atEnd: context.onTestFinished });
}

async function watchLive(context: Context, url: string): Promise<WatchedView> {
  const view = watch(context, url);
  await view.untilLive();
  return view;
}

/** Waits until the view has begun anew and is live. */
async function untilLiveAgain(view: WatchedView, snapshots: number, deadlineMs = 10_000): Promise<void> {
  const what = 'the view to be live again';
  await view.until(() => view.isLive && view.snapshots > snapshots, { deadlineMs, what });
}

describe.concurrent('a lost backend', () => {
  test('that was never there is stale with the reason, and live when it comes', async (context) => {
    const port = await findFreePort();
    const view = watch(context, `redis://127.0.0.1:${port}`);
    await view.until(() => view.staleFor);
    expect(view.staleFor).toContain('connection refused');
    expect(view.changes).toHaveLength(1);
    await using late = await startTcpProxy(server);
    const moved = watch(context, late.url);
    late.refuseNew();
    late.cut();
    await moved.until(() => moved.staleFor);
    await late.acceptNew();
    await moved.untilLive();
  });

  test('that is killed is stale, and after its restart a snapshot tells what is left', async (context) => {
    await using mortal = await startRedis();
    await open(context, mortal.url).acquireLease('gone', 'o', 60_000);
    const view = await watchLive(context, mortal.url);
    await mortal.kill();
    await view.until(() => view.staleFor);
    expect(view.held).toEqual(['gone=o']);
    await mortal.restart();
    await (await mortal.client()).set(recordOf('new'), 'o', 'PX', 60_000);
    await untilLiveAgain(view, 1);
    await view.until(() => view.held.join() === 'new=o');
    expect(view.freedAtMs.size).toBe(0);
  });

  test('that kills either connection is read anew, with what changed meanwhile', async (context) => {
    await using shared = await startRedis();
    const provider = open(context, shared.url);
    const admin = await shared.client();
    const view = await watchLive(context, shared.url);
    for (const [round, kind] of ['pubsub', 'normal', 'pubsub', 'normal'].entries()) {
      const transaction = admin.multi();
      transaction.call('CLIENT', 'KILL', 'TYPE', kind, 'SKIPME', 'yes');
      transaction.set(recordOf(`k${round}`), 'o', 'PX', 60_000);
      await transaction.exec();
      await untilLiveAgain(view, round + 1);
      expect(view.held).toHaveLength(round + 1);
      await provider.transferLease(`k${round}`, 'o', 'p', 60_000);
      await view.until(() => view.leases.get(`k${round}`)?.owner === 'p');
    }
  });

  test('whose network cuts again and again ends up with the truth', async (context) => {
    await using proxy = await startTcpProxy(server);
    const provider = open(context, server.url);
    const view = await watchLive(context, proxy.url);
    for (let round = 0; round < 8; round += 1) {
      await provider.acquireLease('cut', `o${round}`, 60_000);
      if (round % 2 === 0) proxy.cut();
      await provider.releaseLease('cut', `o${round}`);
      if (round % 3 === 0) await view.until(() => view.staleFor === undefined);
    }
    await provider.acquireLease('cut', 'last', 60_000);
    await view.until(() => view.isLive && view.leases.get('cut')?.owner === 'last');
  });

  test('that is frozen shortly is missed nothing of', async (context) => {
    await using frozen = await startRedis();
    const provider = open(context, frozen.url);
    const view = await watchLive(context, frozen.url);
    await provider.acquireLease('ends', 'o', 300);
    await view.until(() => view.leases.has('ends'));
    frozen.pause();
    const writing = provider.acquireLease('k', 'o', 60_000);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(view.freedAtMs.size).toBe(0);
    frozen.resume();
    await writing;
    await view.until(() => view.held.join() === 'k=o');
    expect(view.snapshots).toBe(1);
  });
});

describe.concurrent('what only the heartbeat shows', () => {
  test(
    'while nothing changes, nothing is sent but one heartbeat a connection every 5 s',
    async (context) => {
      await using idle = await startRedis();
      await using proxy = await startTcpProxy(idle);
      await (await idle.client()).set(recordOf('k'), 'o', 'PX', 60_000);
      await watchLive(context, proxy.url);
      proxy.clear();
      await new Promise((resolve) => setTimeout(resolve, 11_000));
      const names = proxy.commands.map(([name, sub]) => (name === 'client' ? sub : name)).sort();
      expect(names).toEqual(['hello', 'hello', 'ping', 'ping', 'trackinginfo', 'trackinginfo']);
    },
    SLOW_TEST_MS,
  );

  test(
    'a network that swallows everything is noticed, and soon after it works again the view is live',
    async (context) => {
      await using proxy = await startTcpProxy(server);
      const provider = open(context, server.url);
      await provider.acquireLease('swallowed', 'o', 60_000);
      const view = await watchLive(context, proxy.url);
      proxy.pause();
      await provider.transferLease('swallowed', 'o', 'p', 60_000);
      await view.until(() => view.staleFor, { deadlineMs: NOTICED_MS });
      expect(view.staleFor).toContain('timed out');
      expect(view.freedAtMs.has('swallowed')).toBe(false);
      proxy.resume();
      await untilLiveAgain(view, 1);
      expect(view.leases.get('swallowed')?.owner).toBe('p');
    },
    SLOW_TEST_MS,
  );

  test(
    'a server that is frozen is noticed, and soon after it goes on the view is live',
    async (context) => {
      await using frozen = await startRedis();
      await open(context, frozen.url).acquireLease('k', 'o', 60_000);
      const view = await watchLive(context, frozen.url);
      frozen.pause();
      await view.until(() => view.staleFor, { deadlineMs: NOTICED_MS });
      frozen.resume();
      await untilLiveAgain(view, 1);
      expect(view.held).toEqual(['k=o']);
    },
    SLOW_TEST_MS,
  );

  test(
    'a primary that is demoted makes the view stale, and what ends there is never told free',
    async (context) => {
      await using pair = await startReplicaPair();
      const old = pair.primary;
      const view = await watchLive(context, old.url);
      const leases = open(context, old.url);
      await leases.acquireLease('ends soon', 'o', 3_000);
      await leases.acquireLease('stays', 'o', 60_000);
      await view.until(() => view.held.length === 2);
      await pair.sync();
      await (await pair.replica.client()).call('REPLICAOF', 'NO', 'ONE');
      await (await pair.replica.client()).persist(recordOf('ends soon'));
      // Kept open, and without a sync that would tell: the new primary is not there.
      await (await old.client()).call('REPLICAOF', '127.0.0.1', String(await findFreePort()));
      await view.until(() => view.staleFor, { deadlineMs: NOTICED_MS });
      expect(view.staleFor).toContain('replica');
      expect(view.held).toEqual(['ends soon=o', 'stays=o']);
      await (await old.client()).call('REPLICAOF', 'NO', 'ONE');
      await view.untilLive();
    },
    SLOW_TEST_MS,
  );

  test(
    'a redirection that is broken without a sign is seen in the tracking state',
    async (context) => {
      let isBroken = false;
      const bulk = (text: string) => resp.bulk(text);
      await using stub = await startRespStub(([name, sub]) => {
        if (name === 'hello') return helloReply('master');
        if (name === 'client' && sub === 'id') return ':7\r\n';
        if (name === 'client' && sub === 'tracking') return resp.simple('OK');
        if (name === 'client') {
          const flags = isBroken ? ['on', 'bcast', 'broken_redirect'] : ['on', 'bcast'];
          return resp.array(bulk('flags'), resp.array(...flags.map(bulk)));
        }
        if (name === 'subscribe')
          return resp.array(bulk('subscribe'), bulk('__redis__:invalidate'), ':1\r\n');
        if (name === 'ping') return resp.array(bulk('pong'), bulk(''));
        return resp.array(bulk('0'), ':1\r\n', resp.array());
      });
      const view = await watchLive(context, stub.url);
      isBroken = true;
      await view.until(() => view.staleFor, { deadlineMs: NOTICED_MS });
      expect(view.staleFor).toContain('broken_redirect');
      isBroken = false;
      await untilLiveAgain(view, 1);
    },
    SLOW_TEST_MS,
  );
});

describe.concurrent('behind Sentinels', () => {
  test.for(['command', 'kill'] as const)(
    'a failover by %s is followed to the new primary',
    { timeout: 60_000 },
    async (cause, context) => {
      await using rig = await startSentinel();
      await open(context, rig.url).acquireLease('before', 'o', 60_000);
      const view = await watchLive(context, rig.url);
      await waitFor(async () => (await (await rig.replica.client()).exists(recordOf('before'))) === 1);
      await rig.failover(cause);
      await untilLiveAgain(view, 1, 20_000);
      expect(view.held).toEqual(['before=o']);
      await (await rig.primary.client()).set(recordOf('after'), 'o', 'PX', 60_000);
      await view.until(() => view.held.length === 2);
    },
  );

  test('no Sentinel is stale with that reason', async (context) => {
    const view = watch(context, `redis+sentinel://127.0.0.1:${await findFreePort()}/mymaster`);
    await view.until(() => view.staleFor);
    expect(view.staleFor).toContain('no Sentinel answered: connection refused');
  });
});
