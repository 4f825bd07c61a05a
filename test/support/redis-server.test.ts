import { existsSync } from 'node:fs';
import { connect } from 'node:tls';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { findFreePort } from './free-port.js';
import { startUnsyncedReplica } from './redis-replication.js';
import { type RedisServer, startRedis, startReplicaPair } from './redis-server.js';
import { waitFor } from './wait-for.js';

test('a server keeps its port over a restart, empty, and leaves nothing behind', async () => {
  const server = await startRedis();
  const client = await server.client();
  await client.set('k', 'v');
  const firstPid = server.pid;
  await server.kill();
  expect(server.isRunning).toBe(false);
  await server.restart();
  expect(server.pid).not.toBe(firstPid);
  expect(await (await server.client()).dbsize()).toBe(0);
  const { directory, pid } = server;
  await server.stop();
  await server.stop();
  expect(existsSync(directory)).toBe(false);
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('a paused server answers nothing until it is resumed', async () => {
  await using server = await startRedis();
  const client = await server.client();
  server.pause();
  let isAnswered = false;
  const answer = client.ping().then(() => {
    isAnswered = true;
  });
  await expect(waitFor(() => isAnswered, { deadlineMs: 100 })).rejects.toThrow();
  server.resume();
  await answer;
});

test('password, users, unix socket and further arguments reach the server', async () => {
  await using server = await startRedis({
    password: 'p@ss "word"#1',
    aclUsers: { reader: 'on >secret ~* +get +pttl' },
    unixSocket: true,
    args: ['--databases', '3'],
  });
  const admin = await server.client();
  expect(await admin.config('GET', 'databases')).toEqual(['databases', '3']);
  const reader = await server.client({ username: 'reader', password: 'secret' });
  await expect(reader.set('k', 'v')).rejects.toThrow('NOPERM');
  const local = new Redis({ path: server.socketPath ?? '', password: 'p@ss "word"#1' });
  expect(await local.acl('WHOAMI')).toBe('default');
  local.disconnect();
  const byUrl = new Redis(server.url);
  expect(await byUrl.ping()).toBe('PONG');
  byUrl.disconnect();
});

test('a server that cannot start says why', async () => {
  await expect(startRedis({ args: ['--no-such-option', '1'] })).rejects.toThrow('no-such-option');
});

test('a TLS server is trusted by its CA and for its names only', async () => {
  await using server = await startRedis({ tls: true });
  await using elsewhere = await startRedis({ tls: { names: ['cache.internal'] } });
  expect(server.url).toMatch(/^rediss:/);
  expect(await handshake(server)).toBe('trusted');
  expect(await handshake(server, elsewhere.tls?.ca)).toBe('SELF_SIGNED_CERT_IN_CHAIN');
  expect(await handshake(elsewhere)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await handshake(elsewhere, elsewhere.tls?.ca, 'cache.internal')).toBe('trusted');
  expect(await (await server.client()).ping()).toBe('PONG');
});

/** How a TLS client that trusts `ca` gets on with a server: `trusted`, or the error's code. */
function handshake(
  server: RedisServer,
  ca = server.tls?.ca,
  servername?: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const { host, port } = server;
    const socket = connect({ host, port, ...(ca ? { ca } : {}), ...(servername ? { servername } : {}) });
    socket.once('secureConnect', () => {
      socket.destroy();
      resolve('trusted');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

test('a replica pair syncs and swaps roles under open connections', async () => {
  await using pair = await startReplicaPair({ password: 'secret' });
  const [first, second] = [await pair.primary.client(), await pair.replica.client()];
  await first.set('k', 'v');
  await pair.sync();
  expect(await second.get('k')).toBe('v');
  await pair.swapRoles();
  expect(await pair.primary.client().then((client) => client.role())).toContain('master');
  await expect(first.set('k', 'w')).rejects.toThrow('READONLY');
  expect(await second.set('k', 'w')).toBe('OK');
});

test('an unsynced replica answers nil', async () => {
  await using replica = await startUnsyncedReplica(await findFreePort());
  const client = await replica.client();
  expect(await client.role()).toContain('slave');
  expect(await client.get('k')).toBeNull();
});
