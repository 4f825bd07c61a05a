import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../support/free-port.js';
import { type RedisSentinel, startRedis, startSentinel } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { codeOf, failureOf, openProvider, readAll, recordOf, VERB_NAMES, VERBS } from './open-provider.js';

const SECRET = 'S3ntinel-secret';
const MODES = ['one-shot', 'kept'] as const;

async function startRig(options?: Parameters<typeof startSentinel>[0]): Promise<RedisSentinel> {
  const rig = await startSentinel(options);
  onTestFinished(() => rig.stop());
  return rig;
}

function urlOf(sentinels: readonly { readonly port: number }[], rest: string, user = ''): string {
  return `redis+sentinel://${user}${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${rest}`;
}

describe.each(MODES)('%s', (connection) => {
  test('every verb finds the primary, and its address is named in failures', async () => {
    const rig = await startRig({ password: SECRET });
    const provider = openProvider(rig.url, { connection });
    for (const verb of VERB_NAMES) await VERBS[verb](provider, 'k');
    expect(provider.server?.role).toBe('primary');
    expect(provider.name).not.toContain(SECRET);
    await (await rig.primary.client()).xadd(recordOf('topic'), '*', 'a', 'b');
    const error = await failureOf(provider.readLease('topic'), SECRET);
    expect(error.message).toContain(`127.0.0.1:${rig.primary.port}`);
  });

  test('what is wrong is said: the name, the password, no Sentinel, dead ones, silent ones', async () => {
    const rig = await startRig({ password: SECRET });
    const dead = { port: await findFreePort() };
    const failures = async (url: string) => {
      const provider = openProvider(url, { connection, timeoutMs: 600 });
      const error = await failureOf(provider.acquireLease('k', 'o', 1_000), SECRET);
      expect((await readAll(provider)).error).toMatchObject({ code: error.code });
      return [error.code, error.message];
    };
    const user = `:${SECRET}@`;
    expect(await failures(urlOf(rig.sentinels, 'nobody', user))).toEqual([
      'ERR_LEASE_INVALID_CONFIG',
      expect.stringContaining('knows no primary called "nobody"'),
    ]);
    expect(await failures(urlOf([dead, ...rig.sentinels, dead], 'nobody', user))).toEqual([
      'ERR_LEASE_INVALID_CONFIG',
      expect.stringContaining('knows no primary called "nobody"'),
    ]);
    expect(await failures(urlOf(rig.sentinels, 'mymaster', `:${SECRET}x@`))).toEqual([
      'ERR_LEASE_NOT_PERMITTED',
      expect.stringContaining('refused the user name or the password'),
    ]);
    expect(await failures(urlOf([dead, dead], 'mymaster', user))).toEqual([
      'ERR_LEASE_UNREACHABLE',
      expect.stringContaining('no Sentinel answered: connection refused'),
    ]);
    const [sentinel] = rig.sentinels;
    if (!sentinel) throw new Error('no sentinel');
    await using silent = await startTcpProxy(sentinel);
    silent.pause();
    expect(await failures(urlOf([silent], 'mymaster', user))).toEqual([
      'ERR_LEASE_UNREACHABLE',
      expect.stringContaining('no Sentinel answered'),
    ]);
    await rig.primary.kill();
    expect(await failures(rig.url)).toEqual([
      'ERR_LEASE_UNREACHABLE',
      expect.stringMatching(/the primary, 127\.0\.0\.1:\d+: connection refused/),
    ]);
  });

  test('a dead and a silent Sentinel leave time for the one that answers', async () => {
    const rig = await startRig();
    const [sentinel] = rig.sentinels;
    if (!sentinel) throw new Error('no sentinel');
    await using silent = await startTcpProxy(sentinel);
    silent.pause();
    const url = urlOf([{ port: await findFreePort() }, silent, sentinel], 'mymaster');
    const provider = openProvider(url, { connection, timeoutMs: 1_500 });
    expect(await provider.acquireLease('k', 'o', 1_000)).toEqual({ acquired: true, owner: 'o' });
  });

  test('a server that is no Sentinel says what to write instead', async () => {
    await using server = await startRedis();
    const error = await failureOf(
      openProvider(urlOf([server], 'mymaster'), { connection }).getLeaseOwner('k'),
    );
    expect([error.code, error.message, error.remedy]).toEqual([
      'ERR_LEASE_INVALID_CONFIG',
      expect.stringContaining('is no Sentinel'),
      expect.stringContaining('redis://'),
    ]);
  });

  test('a Sentinel with a password of its own gets it from the URL', async () => {
    const rig = await startRig();
    const [sentinel] = rig.sentinels;
    await (await sentinel?.client())?.call('ACL', 'SETUSER', 'default', 'resetpass', `>${SECRET}`);
    const url = urlOf(rig.sentinels, `mymaster?sentinelPassword=${SECRET}`);
    const provider = openProvider(url, { connection });
    expect(await provider.acquireLease('k', 'o', 1_000)).toEqual({ acquired: true, owner: 'o' });
    expect(provider.name).not.toContain(SECRET);
    expect(await codeOf(openProvider(rig.url, { connection }).getLeaseOwner('k'))).toBe(
      'ERR_LEASE_NOT_PERMITTED',
    );
    const wrong = urlOf(rig.sentinels, `mymaster?sentinelPassword=${SECRET}x`);
    expect((await failureOf(openProvider(wrong, { connection }).getLeaseOwner('k'), SECRET)).code).toBe(
      'ERR_LEASE_NOT_PERMITTED',
    );
  });
});

test('a kept connection leaves a primary that lives on after it was replaced', async () => {
  const rig = await startRig({ sentinels: 3 });
  const provider = openProvider(rig.url);
  await provider.acquireLease('before', 'o', 60_000);
  await rig.failover();
  // Until a Sentinel knows, and it looks once a second, the old primary takes writes as before.
  await waitFor(async () => {
    const key = randomUUID();
    await provider.acquireLease(key, 'o', 60_000);
    return (await (await rig.primary.client()).exists(recordOf(key))) === 1;
  });
  expect(provider.server?.role).toBe('primary');
  expect(await provider.readLease('before')).toMatchObject({ owner: 'o' });
  const afresh = openProvider(rig.url, { connection: 'one-shot' });
  expect(await afresh.renewLease('before', 'o', 60_000)).toBe(true);
});

test('a primary that wakes up after it was replaced gets no write, once a Sentinel has announced it', async () => {
  const rig = await startRig();
  const provider = openProvider(rig.url);
  await provider.acquireLease('before', 'o', 60_000);
  const listener = await rig.sentinels[0]?.client();
  const announced = new Promise((resolve) => listener?.once('message', resolve));
  await listener?.subscribe('+switch-master');
  const old = rig.primary;
  await rig.failover('pause');
  await announced;
  old.resume();
  expect(await provider.acquireLease('after', 'o', 60_000)).toEqual({ acquired: true, owner: 'o' });
  expect(await (await rig.primary.client()).get(recordOf('after'))).toBe('o');
});

test('what the Sentinels said while nobody listened is asked for when they are back', async () => {
  const rig = await startRig();
  const [sentinel] = rig.sentinels;
  if (!sentinel) throw new Error('no sentinel');
  await using proxy = await startTcpProxy(sentinel);
  const provider = openProvider(urlOf([proxy], 'mymaster'));
  await provider.acquireLease('k', 'o', 60_000);
  await waitFor(() => proxy.commands.some(([name]) => name === 'subscribe'));
  proxy.refuseNew();
  proxy.cut();
  await rig.failover('pause');
  proxy.clear();
  await proxy.acceptNew();
  await waitFor(() => proxy.commands.some(([name]) => name === 'subscribe'));
  // What comes back to this by the same way comes after the answer to the watcher.
  const behind = new Redis(proxy.url, { disableClientInfo: true, enableReadyCheck: false });
  for (let turn = 0; turn < 3; turn += 1) await behind.ping();
  behind.disconnect();
  rig.replica.resume();
  expect(await provider.acquireLease('after', 'o', 60_000)).toEqual({ acquired: true, owner: 'o' });
  expect(await (await rig.primary.client()).exists(recordOf('after'))).toBe(1);
});
