import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { lease } from '../cli/lease-cli.js';
import { recordOf } from '../cli/lease-site.js';
import { startWatch, type WatchRun } from '../cli/watch-run.js';
import { startCluster, startRedis, startReplicaPair } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';

/** What is promised, and what a busy machine may add to it. */
const NOTICED_MS = 10_000;
const EQUAL_MS = 2_000;
const BUSY_MS = 3_000;

interface Loss extends AsyncDisposable {
  readonly backend: string;
  /** Who can still write while the watch cannot see. */
  readonly admin: Redis;
  lose(): Promise<void> | void;
  /** Ends it; the connection may be made again from here on. */
  back(): Promise<void> | void;
  /** Whether nobody can write in between. */
  readonly isDead?: boolean;
}

const LOSSES: Readonly<Record<string, () => Promise<Loss>>> = {
  'the network goes silent': () =>
    behindProxy(
      (proxy) => proxy.pause(),
      (proxy) => proxy.resume(),
    ),
  'connections are cut, and the port is closed': () =>
    behindProxy(
      (proxy) => {
        proxy.refuseNew();
        proxy.cut();
      },
      (proxy) => proxy.acceptNew(),
    ),
  'only answers are lost': () =>
    behindProxy(
      (proxy) => proxy.pause('down'),
      (proxy) => proxy.resume('down'),
    ),
  'the server is frozen': async () => {
    const server = await startRedis();
    return {
      backend: server.url,
      admin: await server.client(),
      lose: () => server.pause(),
      back: () => server.resume(),
      isDead: true,
      [Symbol.asyncDispose]: () => server.stop(),
    };
  },
  'the password is changed, and changed back': async () => {
    const server = await startRedis({ aclUsers: { watcher: 'on >old ~* &* +@all' } });
    const admin = await server.client();
    return {
      backend: server.url.replace('//', '//watcher:old@'),
      admin,
      lose: async () => {
        await admin.call('ACL', 'SETUSER', 'watcher', 'resetpass', '>new');
        await admin.call('CLIENT', 'KILL', 'USER', 'watcher');
      },
      back: async () => void (await admin.call('ACL', 'SETUSER', 'watcher', '>old')),
      [Symbol.asyncDispose]: () => server.stop(),
    };
  },
  'the primary is demoted, and its name leads to the new one later': async () => {
    const pair = await startReplicaPair();
    const [old, next] = [pair.primary, pair.replica];
    const name = await startTcpProxy(old);
    return {
      backend: name.url,
      admin: await next.client(),
      lose: async () => {
        await pair.sync();
        await pair.swapRoles();
      },
      back: () => name.retarget(next),
      [Symbol.asyncDispose]: async () => {
        await name.stop();
        await pair.stop();
      },
    };
  },
  'a master of the cluster is frozen': async () => {
    const cluster = await startCluster();
    const owner = await cluster.ownerOf(recordOf('{one}'));
    return {
      backend: cluster.url,
      admin: await owner.client(),
      lose: () => owner.pause(),
      back: () => owner.resume(),
      isDead: true,
      [Symbol.asyncDispose]: () => cluster.stop(),
    };
  },
  'nothing is pushed, and the network goes silent': () =>
    behindProxy(
      (proxy) => proxy.pause(),
      (proxy) => proxy.resume(),
      ['--rename-command', 'CLIENT', ''],
    ),
};

type Proxy = Awaited<ReturnType<typeof startTcpProxy>>;

async function behindProxy(
  lose: (proxy: Proxy) => void,
  back: (proxy: Proxy) => Promise<void> | void,
  args: readonly string[] = [],
): Promise<Loss> {
  const server = await startRedis({ args });
  const proxy = await startTcpProxy(server);
  return {
    backend: proxy.url,
    admin: await server.client(),
    lose: () => lose(proxy),
    back: () => back(proxy),
    [Symbol.asyncDispose]: async () => {
      await proxy.stop();
      await server.stop();
    },
  };
}

/** In one slot, where slots matter. */
const keyOf = (name: string) => `{one}.${name}`;

function hold(admin: Redis, name: string, owner: string): Promise<unknown> {
  return admin.set(recordOf(keyOf(name)), owner, 'PX', 600_000);
}

type Event = WatchRun['events'][number];

/** Who holds what, as somebody who follows the events has it. */
function viewOf(events: readonly Event[]): readonly string[] {
  const held = new Map<string, string>();
  for (const { type, key, owner, leases } of events) {
    if (type === 'snapshot') held.clear();
    if (type === 'snapshot' && Array.isArray(leases)) {
      for (const one of leases) held.set(String(one.key), String(one.owner));
    }
    if (type === 'released' || type === 'expired') held.delete(String(key));
    else if (typeof key === 'string') held.set(key, String(owner));
  }
  return [...held].map(([key, owner]) => `${key}=${owner}`).sort();
}

/** What a fresh listing says. */
async function freshly(backend: string): Promise<readonly string[]> {
  const { stdout, exitCode } = await lease(['list'], { backend });
  if (exitCode !== 0) throw new Error(`The listing ended with ${exitCode}`);
  const rows = stdout
    .trim()
    .split('\n')
    .filter((row) => row !== '');
  return rows
    .map((row) => row.split('\t'))
    .map(([, key, owner]) => `${key}=${owner}`)
    .sort();
}

describe.concurrent('a watch is told stale, says nothing free meanwhile, and is soon as a fresh listing again, when', () => {
  test.for(Object.entries(LOSSES))('%s', { timeout: 90_000 }, async ([, arrange]) => {
    await using loss = await arrange();
    const { admin } = loss;
    const before = ['kept', 'moved', 'ended'];
    await writeAll(
      loss,
      before.map((name) => [name, 'run-1'] as const),
    );
    await using watching = await startWatch([], { backend: loss.backend });
    await waitFor(() => viewOf(watching.events).length === before.length, { what: 'all leases to be seen' });

    const lostAt = performance.now();
    await loss.lose();
    const isDown = () => watching.events.some(({ type }) => type === 'backend-down');
    await waitFor(isDown, { deadlineMs: NOTICED_MS + BUSY_MS, what: 'the loss to be noticed' });
    expect(performance.now() - lostAt).toBeLessThan(NOTICED_MS + BUSY_MS);
    const down = watching.events.findIndex(({ type }) => type === 'backend-down');
    expect(watching.events[down]).toMatchObject({ reason: expect.stringMatching(/\S/) });
    if (!loss.isDead) await changeAll(admin);

    await loss.back();
    if (loss.isDead) await changeAll(admin);
    const isUp = () => watching.events.slice(down).some(({ type }) => type === 'backend-up');
    const expected = [`${keyOf('kept')}=run-1`, `${keyOf('moved')}=run-2`, `${keyOf('new')}=run-3`];
    await waitFor(() => isUp() && viewOf(watching.events).join() === expected.join(), {
      deadlineMs: EQUAL_MS + BUSY_MS,
      what: `the view to be ${expected}, it is ${viewOf(watching.events)}`,
    });
    expect(await freshly(loss.backend)).toEqual(expected);
    expect(viewOf(watching.events)).toEqual(expected);

    const after = watching.events.slice(down + 1);
    const unseen = after.slice(
      0,
      after.findIndex(({ type }) => type === 'snapshot'),
    );
    expect(unseen.filter(({ type }) => type !== 'backend-down')).toEqual([]);
    const freed = after.filter(({ type }) => type === 'released' || type === 'expired');
    expect(new Set(freed.map(({ key }) => key))).toEqual(new Set(freed.length === 0 ? [] : [keyOf('ended')]));
  });
});

/** Before anything is lost, by whoever has the lease's place then. */
async function writeAll({ backend }: Loss, leases: readonly (readonly [string, string])[]): Promise<void> {
  for (const [name, owner] of leases) {
    const result = await lease(['acquire', keyOf(name), '--owner', owner, '--ttl', '10m', '-q'], { backend });
    if (result.exitCode !== 0) throw new Error(`acquire ended with ${result.exitCode}: ${result.stderr}`);
  }
}

/** One of each kind of change. */
async function changeAll(admin: Redis): Promise<void> {
  await hold(admin, 'moved', 'run-2');
  await admin.del(recordOf(keyOf('ended')));
  await hold(admin, 'new', 'run-3');
}
