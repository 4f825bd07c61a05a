import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { introspectProvider } from '../../../../src/backend/inspection/introspect.js';
import { VerifiedInspector } from '../../../../src/backend/inspection/verified-inspector.js';
import type { Lease } from '../../../../src/lease/inspector.js';
import type { LeaseProvider } from '../../../../src/lease/provider.js';
import { type RedisLeaseOptions, RedisLeaseProvider } from '../../../../src/providers/redis/index.js';
import { type RedisServer, startRedis } from '../../../support/redis-server.js';
import { NodeRedisPubSub } from './providers.js';

let server: RedisServer;
let other: RedisServer;

beforeAll(async () => {
  [server, other] = await Promise.all([startRedis(), startRedis()]);
});
beforeEach(async () => {
  for (const one of [server, other]) await (await one.client()).flushall();
});
afterAll(() => Promise.all([server?.stop(), other?.stop()]));

/** The application's own provider, and how often it was asked for an owner. */
class Application extends NodeRedisPubSub {
  asked = 0;

  constructor(keyPrefix = 'mine') {
    super(createClient({ url: server.url }), keyPrefix);
    onTestFinished(() => this.close());
  }

  override getLeaseOwner(key: string): Promise<string | undefined> {
    this.asked += 1;
    return super.getLeaseOwner(key);
  }
}

function openOurs(options: Partial<RedisLeaseOptions> = {}): RedisLeaseProvider {
  const ours = new RedisLeaseProvider({ url: server.url, keyPrefix: 'mine', ...options });
  onTestFinished(() => ours.close());
  return ours;
}

function verify(provider: LeaseProvider, ours = openOurs(), isTrusted = false): VerifiedInspector {
  const { name: label, keyPrefix } = ours;
  return new VerifiedInspector({ inspector: ours, provider, label, keyPrefix, isTrusted });
}

/** What a listing yielded, and how it ended. */
async function listAll(inspector: VerifiedInspector): Promise<{ leases: Lease[]; error: unknown }> {
  const leases: Lease[] = [];
  try {
    for await (const lease of inspector.listLeases()) leases.push(lease);
    return { leases, error: undefined };
  } catch (error) {
    return { leases, error };
  }
}

async function keysOf(one: RedisServer): Promise<string[]> {
  return (await one.client()).keys('*');
}

/** Writes leases as another program does. */
async function write(one: RedisServer, leases: Readonly<Record<string, string>>, db = 0): Promise<void> {
  const client = await one.client();
  await client.select(db);
  for (const [record, owner] of Object.entries(leases)) await client.set(record, owner, 'PX', 30_000);
  await client.select(0);
}

test("the application's leases are listed, and the provider is asked about a few of them only", async () => {
  const application = new Application();
  const records = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`mine:lease:k${i}`, `run-${i}`]),
  );
  await write(server, records);
  const inspector = verify(application);
  const { leases, error } = await listAll(inspector);
  expect(error).toBeUndefined();
  expect(new Set(leases.map(({ key }) => key)).size).toBe(2_000);
  expect(application.asked).toBeGreaterThan(3);
  expect(application.asked).toBeLessThanOrEqual(8);
  expect(inspector.hasAgreed).toBe(true);
});

test('leases under a prefix that the application does not use are refused before any is shown', async () => {
  await write(server, { 'theirs:lease:k': 'run-1' });
  const { leases, error } = await listAll(verify(new Application(), openOurs({ keyPrefix: 'theirs' }), true));
  expect(leases).toEqual([]);
  expect(error).toMatchObject({
    code: 'ERR_LEASE_UNVERIFIED',
    message: expect.stringMatching(
      /^k is held by run-1 under theirs in redis:\S+, and the application knows no such/,
    ),
  });
});

test('leases of another database are refused', async () => {
  await write(server, { 'mine:lease:k': 'run-1' }, 5);
  const { leases, error } = await listAll(verify(new Application(), openOurs({ url: `${server.url}/5` })));
  expect(leases).toEqual([]);
  expect(error).toMatchObject({ code: 'ERR_LEASE_UNVERIFIED' });
});

test('a key that is held by different owners is of another server', async () => {
  await write(server, { 'mine:lease:k\n': 'run-1' });
  await write(other, { 'mine:lease:k\n': 'run-2' });
  const { leases, error } = await listAll(verify(new Application(), openOurs({ url: other.url })));
  expect(leases).toEqual([]);
  expect(error).toMatchObject({
    message: expect.stringMatching(/^k\\x0a is held by run-2 .* by run-1 says .*another server/),
  });
});

test('a difference that shows only later ends the listing there', async () => {
  class Forgetful extends Application {
    override async getLeaseOwner(key: string): Promise<string | undefined> {
      const owner = await super.getLeaseOwner(key);
      return this.asked > 3 ? undefined : owner;
    }
  }
  await write(server, Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`mine:lease:k${i}`, 'o'])));
  const { leases, error } = await listAll(verify(new Forgetful()));
  expect(error).toMatchObject({ code: 'ERR_LEASE_UNVERIFIED' });
  expect(leases.length).toBeGreaterThan(0);
  expect(leases.length).toBeLessThan(100);
});

test('a lease that moves while it is compared is no difference, and is shown as it is then', async () => {
  class Moving extends Application {
    override async getLeaseOwner(key: string): Promise<string | undefined> {
      await this.transferLease(key, 'run-1', 'run-2', 30_000);
      return super.getLeaseOwner(key);
    }
  }
  await write(server, { 'mine:lease:k': 'run-1' });
  const { leases, error } = await listAll(verify(new Moving()));
  expect(error).toBeUndefined();
  expect(leases).toMatchObject([{ key: 'k', owner: 'run-2' }]);
});

test('leases that are gone when they are compared prove nothing, and are not shown', async () => {
  class Releasing extends Application {
    override async getLeaseOwner(key: string): Promise<string | undefined> {
      await this.releaseLease(key, 'run-1');
      return super.getLeaseOwner(key);
    }
  }
  const records = { 'mine:lease:a': 'run-1', 'mine:lease:b': 'run-1' };
  await write(server, records);
  expect(await listAll(verify(new Releasing()))).toMatchObject({
    leases: [],
    error: { code: 'ERR_LEASE_UNVERIFIED' },
  });
  await write(server, records);
  expect(await listAll(verify(new Releasing(), openOurs(), true))).toEqual({ leases: [], error: undefined });
});

test("an empty listing is believed when the place is the provider's own, and no other", async () => {
  const application = new Application();
  const { error } = await listAll(verify(application));
  expect(error).toMatchObject({
    code: 'ERR_LEASE_UNVERIFIED',
    message: `nothing under mine in redis://127.0.0.1:${server.port}/0, which could not be checked against the application`,
  });
  expect(await listAll(verify(application, openOurs(), true))).toEqual({ leases: [], error: undefined });
});

test('an empty listing is believed after a probe, which leaves nothing behind', async () => {
  const inspector = verify(new Application());
  expect(await inspector.probe()).toEqual({ ok: true });
  expect(await listAll(inspector)).toEqual({ leases: [], error: undefined });
  expect(await keysOf(server)).toEqual([]);
});

test('an empty listing is believed once leases were seen to agree', async () => {
  const inspector = verify(new Application());
  await write(server, { 'mine:lease:k': 'run-1' });
  await listAll(inspector);
  await (await server.client()).flushall();
  expect(await listAll(inspector)).toEqual({ leases: [], error: undefined });
});

test.each([
  ['another prefix', () => openOurs({ keyPrefix: 'theirs' })],
  ['another server', () => openOurs({ url: other.url })],
  ['no server', () => openOurs({ url: 'redis://127.0.0.1:1' })],
])('a probe fails on %s, says why, and leaves nothing behind', async (_, open) => {
  const inspector = verify(new Application(), open());
  expect(await inspector.probe()).toEqual({
    ok: false,
    why: expect.stringMatching(/is not under|no answer/),
  });
  expect((await listAll(inspector)).leases).toEqual([]);
  expect(await keysOf(server)).toEqual([]);
});

test('leases that cannot be written as text are shown with the others, and prove nothing alone', async () => {
  const client = await server.client();
  await client.set(Buffer.from([...Buffer.from('mine:lease:'), 0xff]), 'run-1', 'PX', 30_000);
  expect(await listAll(verify(new Application()))).toMatchObject({
    leases: [],
    error: { code: 'ERR_LEASE_UNVERIFIED' },
  });
  await write(server, { 'mine:lease:k': 'run-2' });
  const { leases, error } = await listAll(verify(new Application()));
  expect(error).toBeUndefined();
  expect(leases.map(({ owner }) => owner).sort()).toEqual(['run-1', 'run-2']);
});

test('a look-alike whose private fields lie is refused', async () => {
  class Lying extends Application {
    readonly #keyPrefix = 'theirs';
    readonly shown = this.#keyPrefix;
  }
  await write(server, { 'mine:lease:k': 'run-1', 'theirs:lease:k': 'run-9' });
  const provider = new Lying();
  const found = await introspectProvider(provider);
  if (!found) return expect.fail('nothing was found');
  const ours = openOurs({ ...found.connection.toOptions(), keyPrefix: 'theirs' });
  const { leases, error } = await listAll(verify(provider, ours, found.isTrusted));
  expect(leases).toEqual([]);
  expect(error).toMatchObject({ code: 'ERR_LEASE_UNVERIFIED' });
});

test('reading one lease gives the time left, and refuses to invent it', async () => {
  await write(server, { 'mine:lease:k': 'run-1' });
  const application = new Application();
  expect(await verify(application).readLease('k')).toMatchObject({
    owner: 'run-1',
    remainingMs: expect.any(Number),
  });
  expect(await verify(application).readLease('nobody')).toBeUndefined();
  const elsewhere = verify(application, openOurs({ keyPrefix: 'theirs' }));
  await expect(elsewhere.readLease('k')).rejects.toMatchObject({ code: 'ERR_LEASE_UNVERIFIED' });
});

test('a listing that is stopped while it is compared ends by that', async () => {
  await write(server, { 'mine:lease:k': 'run-1' });
  const controller = new AbortController();
  class Stopping extends Application {
    override getLeaseOwner(key: string): Promise<string | undefined> {
      controller.abort(new Error('stopped'));
      return super.getLeaseOwner(key);
    }
  }
  const listing = verify(new Stopping()).listLeases({ signal: controller.signal });
  await expect(listing.next()).rejects.toThrow('stopped');
});
