import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RedisLeaseProvider } from '../../src/providers/redis/index.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { waitFor } from '../support/wait-for.js';
import {
  codeOf,
  failureOf,
  openProvider,
  READS,
  recordOf,
  VERB_NAMES,
  VERBS,
  WRITES,
} from './open-provider.js';

let server: RedisServer;
let direct: Redis;
let proxy: TcpProxy;

beforeAll(async () => {
  server = await startRedis();
  direct = await server.client();
  proxy = await startTcpProxy(server);
});

afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

beforeEach(async () => {
  await direct.flushall();
});

/** How often the server ran a command, scripts' inner ones included, since the last reset. */
async function callsOf(command: string): Promise<number> {
  const stats = await direct.info('commandstats');
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

/** Sets the stage for a verb: everything but acquire needs a lease of `o`. */
async function prepare(verb: string): Promise<void> {
  if (verb !== 'acquire') await direct.set(recordOf('k'), 'o', 'PX', 10_000);
  proxy.clear();
  await direct.config('RESETSTAT');
}

const MODES = ['one-shot', 'kept'] as const;
const EFFECT = { acquire: 'set', renew: 'pexpire', transfer: 'set', release: 'del' } as const;

describe.each(MODES)('%s', (connection) => {
  test.each(WRITES)(
    '%s whose reply is lost was done once, is sent once, and is said to be unknown',
    async (verb) => {
      const provider = openProvider(proxy.url, { connection });
      await VERBS[verb](provider, 'script is known by now');
      for (const outcome of ['cut', 'hang'] as const) {
        await direct.del(recordOf('k'));
        await prepare(verb);
        const script = connection === 'kept' ? 'evalsha' : 'eval';
        const dropped = proxy.dropNextReply({ command: script, outcome });
        const impatient = openProvider(proxy.url, { connection, timeoutMs: 300 });
        const error = await failureOf(VERBS[verb](impatient, 'k'));
        await dropped;
        expect(error.code).toBe('ERR_LEASE_OUTCOME_UNKNOWN');
        expect(error.message).toContain(verb);
        expect(proxy.commands.filter(([name]) => name === script)).toHaveLength(1);
        expect(await callsOf(EFFECT[verb])).toBe(1);
      }
    },
  );

  test.each(VERB_NAMES)('%s that could not be sent changed nothing and says so', async (verb) => {
    await prepare(verb);
    await using refusing = await startTcpProxy(server);
    refusing.refuseNew();
    const error = await failureOf(VERBS[verb](openProvider(refusing.url, { connection }), 'k'));
    expect(error.code).toBe('ERR_LEASE_UNREACHABLE');
    expect(error.message).toMatch(/connection refused.*nothing was changed/);
  });

  test.each(READS)(
    '%s whose reply is lost on a connection that was idle is asked once more',
    async (verb) => {
      const provider = openProvider(proxy.url, { connection });
      await VERBS[verb](provider, 'k');
      await prepare(verb);
      const dropped = proxy.dropNextReply();
      expect(await VERBS[verb](provider, 'k')).toEqual(
        verb === 'readLease' ? expect.objectContaining({ owner: 'o' }) : 'o',
      );
      await dropped;
      expect(proxy.commands.filter(([name]) => name !== 'hello')).toHaveLength(2);
    },
  );

  test.each(READS)('%s whose reply is lost on a new connection is not asked again', async (verb) => {
    await prepare(verb);
    const dropped = proxy.dropNextReply();
    const error = await failureOf(VERBS[verb](openProvider(proxy.url, { connection }), 'k'));
    await dropped;
    expect(error.code).toBe('ERR_LEASE_UNREACHABLE');
    expect(proxy.commands.filter(([name]) => name !== 'hello')).toHaveLength(1);
  });

  test('a call that was cut before it reached the server is unknown for a write, and nothing happened', async () => {
    const cut = proxy.cutBeforeForward({ command: 'eval' });
    expect(
      await codeOf(openProvider(proxy.url, { connection: 'one-shot' }).acquireLease('k', 'o', 1_000)),
    ).toBe('ERR_LEASE_OUTCOME_UNKNOWN');
    await cut;
    expect(await direct.exists(recordOf('k'))).toBe(0);
  });

  const DEATHS: Readonly<Record<string, (provider: RedisLeaseProvider) => Promise<unknown>>> = {
    'a restarted server': () => server.restart(),
    'SCRIPT FLUSH': () => direct.script('FLUSH'),
    'CLIENT KILL': () => direct.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
    'every connection cut': async () => proxy.cut(),
  };
  test.each(Object.keys(DEATHS))('after %s the next write and the next read work', async (name) => {
    const provider = openProvider(proxy.url, { connection });
    await provider.acquireLease('k', 'o', 10_000);
    await provider.readLease('k');
    await DEATHS[name]?.(provider);
    // Until this process has heard of it, a write on the dead connection would rightly be unknown.
    if (name !== 'SCRIPT FLUSH') await waitFor(() => proxy.openConnections === 0);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await waitFor(() => direct.ping());
    expect(await provider.acquireLease('k', 'o', 10_000)).toEqual({ acquired: true, owner: 'o' });
    expect(await provider.readLease('k')).toMatchObject({ owner: 'o' });
  });
});
