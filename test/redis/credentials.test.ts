import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { failureOf, openProvider, readAll, VERB_NAMES, VERBS } from './open-provider.js';

const SECRET = 'T0ken-never-shown';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis({
    password: SECRET,
    unixSocket: true,
    aclUsers: { worker: `on >${SECRET}-w +@all ~*`, viewer: `on >${SECRET}-v +get +pttl ~*` },
  });
});

afterAll(() => server.stop());

test('a password function is asked at each connect, and at no call', async () => {
  await using proxy = await startTcpProxy({ host: server.host, port: server.port });
  let asked = 0;
  const provider = openProvider(proxy.url, {
    password: async () => {
      asked += 1;
      return SECRET;
    },
  });
  expect(asked).toBe(0);
  await Promise.all(VERB_NAMES.map((verb) => VERBS[verb](provider, 'k')));
  await provider.readLease('k');
  expect(asked).toBe(1);
  proxy.cut();
  await provider.readLease('k');
  expect(asked).toBe(2);
});

test('a token that has changed in the meantime is used by the next connect', async () => {
  await using rotating = await startRedis({ password: 'first' });
  const direct = await rotating.client();
  let token = 'first';
  const provider = openProvider(`redis://127.0.0.1:${rotating.port}`, { password: () => token });
  await provider.getLeaseOwner('k');
  await direct.call('ACL', 'SETUSER', 'default', 'resetpass', '>second');
  token = 'second';
  await direct.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  expect(await provider.getLeaseOwner('k')).toBeUndefined();
});

test.each<[string, () => unknown, RegExp]>([
  [
    'throws',
    () => {
      throw new Error(`vault says ${SECRET}`);
    },
    /password function failed/,
  ],
  ['rejects', () => Promise.reject(new Error(`vault says ${SECRET}`)), /password function failed/],
  ['answers no string', () => ({ token: SECRET }), /answered object instead of a string/],
  ['answers nothing', () => undefined, /answered undefined instead of a string/],
  ['never answers', () => new Promise(() => {}), /did not answer in time/],
])(
  'a password function that %s is not permitted, sends nothing and shows nothing',
  async (_what, password, says) => {
    await using proxy = await startTcpProxy(server);
    const provider = openProvider(`redis://127.0.0.1:${proxy.port}`, {
      password: untyped(password),
      timeoutMs: 300,
    });
    for (const verb of ['acquire', 'readLease'] as const) {
      const error = await failureOf(VERBS[verb](provider, 'k'), SECRET);
      expect([error.code, error.message]).toEqual(['ERR_LEASE_NOT_PERMITTED', expect.stringMatching(says)]);
    }
    expect((await readAll(provider)).error).toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
    expect(proxy.commands).toEqual([]);
  },
);

/** What a caller without types may pass. */
function untyped(password: () => unknown): () => string {
  return password as () => string;
}

test('user name and password given apart win over those of the URL', async () => {
  const at = `127.0.0.1:${server.port}`;
  const asWorker = [
    openProvider(`redis://worker:${SECRET}-w@${at}`),
    openProvider(`redis://${at}`, { username: 'worker', password: `${SECRET}-w` }),
    openProvider(`redis://viewer:wrong@${at}`, { username: 'worker', password: `${SECRET}-w` }),
    openProvider(`redis://worker:wrong@${at}`, { password: `${SECRET}-w` }),
    openProvider(`redis://viewer:${SECRET}-w@${at}`, { username: 'worker' }),
    openProvider(`redis://worker@${at}`, { password: async () => `${SECRET}-w` }),
  ];
  for (const provider of asWorker) {
    expect(await provider.acquireLease('mine', 'o', 10_000)).toEqual({ acquired: true, owner: 'o' });
    expect(provider.name).toBe(`redis://${at}/0`);
  }
  const asViewer = openProvider(`redis://worker:${SECRET}-w@${at}`, {
    username: 'viewer',
    password: `${SECRET}-v`,
  });
  expect(await asViewer.getLeaseOwner('mine')).toBe('o');
  await expect(asViewer.acquireLease('mine', 'o', 10_000)).rejects.toMatchObject({
    code: 'ERR_LEASE_NOT_PERMITTED',
  });
});

test('passwords with every awkward character work, escaped in the URL or given apart', async () => {
  await using odd = await startRedis();
  const direct = await odd.client();
  for (const [index, password] of [
    'a#b',
    'a/b',
    'a@b',
    'a?b',
    'a:b',
    'a%b',
    'a b',
    'a+b',
    'ü🔒',
    '"\\\'',
  ].entries()) {
    await direct.call('ACL', 'SETUSER', `u${index}`, 'on', `>${password}`, '+@all', '~*');
    const inUrl = `redis://u${index}:${encodeURIComponent(password)}@127.0.0.1:${odd.port}`;
    expect([password, await openProvider(inUrl).getLeaseOwner('k')]).toEqual([password, undefined]);
    const apart = openProvider(`redis://127.0.0.1:${odd.port}`, { username: `u${index}`, password });
    expect([password, await apart.getLeaseOwner('k')]).toEqual([password, undefined]);
  }
});

test('a unix socket, with a database and credentials', async () => {
  const path = server.socketPath ?? '';
  const provider = openProvider(`redis+unix://:${SECRET}@${path}?db=2`);
  expect(await provider.acquireLease('by socket', 'o', 10_000)).toEqual({ acquired: true, owner: 'o' });
  expect(provider.name).toBe(`redis+unix://${path}?db=2`);
  const direct = await server.client();
  await direct.select(2);
  expect(await direct.get('mastra:topic:lease:by socket')).toBe('o');
});

test('TLS by the authority, by name, and over IPv6 where there is one', async () => {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );
  const args = hasIpv6 ? ['--bind', '127.0.0.1', '::1'] : [];
  await using secure = await startRedis({ tls: { names: ['localhost', '::1'] }, args, password: SECRET });
  const tls = { ca: secure.tls?.ca ?? '' };
  const user = `:${SECRET}@`;
  expect(
    await openProvider(`rediss://${user}localhost:${secure.port}`, { tls }).getLeaseOwner('k'),
  ).toBeUndefined();
  if (!hasIpv6) return;
  const provider = openProvider(`rediss://${user}[::1]:${secure.port}`, { tls });
  expect(await provider.acquireLease('k', 'o', 10_000)).toEqual({ acquired: true, owner: 'o' });
  expect(provider.name).toBe(`rediss://[::1]:${secure.port}/0`);
});

test('valkey URLs are the same', async () => {
  const provider = openProvider(`valkey://:${SECRET}@127.0.0.1:${server.port}/1`);
  await waitFor(() => provider.acquireLease('k', 'o', 10_000));
  expect(provider.database).toBe(1);
});
