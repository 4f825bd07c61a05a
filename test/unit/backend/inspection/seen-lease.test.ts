import { createClient } from 'redis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readSeenLease } from '../../../../src/backend/inspection/seen-lease.js';
import { RedisLeaseProvider } from '../../../../src/providers/redis/index.js';
import {
  type RedisServer,
  type ReplicaPair,
  startRedis,
  startReplicaPair,
} from '../../../support/redis-server.js';
import { NodeRedisPubSub } from './providers.js';

let server: RedisServer;
let pair: ReplicaPair;

beforeAll(async () => {
  [server, pair] = await Promise.all([
    startRedis({ aclUsers: { nothing: 'on >secret ~* +ping', reader: 'on >secret ~* +get +pttl' } }),
    startReplicaPair(),
  ]);
});
afterAll(() => Promise.all([server?.stop(), pair?.stop()]));

function openApplication(url = server.url, keyPrefix = 'mine'): NodeRedisPubSub {
  const application = new NodeRedisPubSub(createClient({ url }), keyPrefix);
  onTestFinished(() => application.close());
  return application;
}

function openOurs(url = server.url, keyPrefix = 'mine'): RedisLeaseProvider {
  const ours = new RedisLeaseProvider({ url, keyPrefix });
  onTestFinished(() => ours.close());
  return ours;
}

const as = (user: string) => `redis://${user}:secret@127.0.0.1:${server.port}`;

test('the owner is what the provider says, with the time left where the inspector agrees', async () => {
  const application = openApplication();
  await application.acquireLease('k', 'run-1', 30_000);
  const seen = await readSeenLease(application, openOurs(), 'k');
  expect(seen).toMatchObject({ key: 'k', owner: 'run-1' });
  expect(seen?.remainingMs).toBeGreaterThan(20_000);
  await (await server.client()).set('mine:lease:for ever', 'run-1');
  expect(await readSeenLease(application, openOurs(), 'for ever')).toEqual({
    key: 'for ever',
    owner: 'run-1',
    remainingMs: null,
  });
});

test.each([
  ['no inspector', () => undefined],
  ['an inspector under another prefix', () => openOurs(server.url, 'theirs')],
  ['an inspector that cannot connect', () => openOurs('redis://127.0.0.1:1')],
  ['an inspector that may read nothing', () => openOurs(as('nothing'))],
  ['an inspector at a replica of another server', () => openOurs(pair.replica.url)],
])('with %s the owner has no time left', async (_, open) => {
  const application = openApplication();
  await application.acquireLease('held', 'run-1', 30_000);
  expect(await readSeenLease(application, open(), 'held')).toEqual({ key: 'held', owner: 'run-1' });
});

test.each([
  ['no inspector', () => undefined],
  ['one that sees nobody either', () => openOurs()],
  ['one that may read nothing', () => openOurs(as('nothing'))],
  ['one with the least permissions', () => openOurs(as('reader'))],
])('nobody is free with %s', async (_, open) => {
  expect(await readSeenLease(openApplication(), open(), 'free')).toBeUndefined();
});

test('nobody is not free when the inspector looks at a replica, or could not look', async () => {
  const application = openApplication(pair.replica.url);
  await expect(readSeenLease(application, openOurs(pair.replica.url), 'k')).rejects.toMatchObject({
    code: 'ERR_LEASE_UNREACHABLE',
    message: expect.stringContaining('replica'),
  });
  await expect(
    readSeenLease(openApplication(), openOurs('redis://127.0.0.1:1'), 'free'),
  ).rejects.toMatchObject({
    code: 'ERR_LEASE_UNREACHABLE',
  });
});

test('nobody is not free when the inspector goes on seeing an owner', async () => {
  await (await server.client()).set('theirs:lease:k2', 'run-7', 'PX', 30_000);
  await expect(readSeenLease(openApplication(), openOurs(server.url, 'theirs'), 'k2')).rejects.toMatchObject({
    code: 'ERR_LEASE_UNVERIFIED',
    message: 'The application says that nobody holds k2, where run-7 is seen holding it',
  });
});

test('an owner that changes between the two reads is read again', async () => {
  class Moving extends NodeRedisPubSub {
    override async getLeaseOwner(key: string): Promise<string | undefined> {
      const owner = await super.getLeaseOwner(key);
      await this.transferLease(key, 'run-1', 'run-2', 30_000);
      return owner;
    }
  }
  const moving = new Moving(createClient({ url: server.url }), 'mine');
  onTestFinished(() => moving.close());
  await moving.acquireLease('moving', 'run-1', 30_000);
  const ours = openOurs();
  const readLease = async (key: string) => {
    await moving.getLeaseOwner(key);
    return ours.readLease(key);
  };
  const seen = await readSeenLease(moving, { readLease, listLeases: () => ours.listLeases() }, 'moving');
  expect(seen).toMatchObject({ owner: 'run-2', remainingMs: expect.any(Number) });
});
