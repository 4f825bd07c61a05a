import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import Redlock from 'redlock';
import { createLock, IoredisAdapter } from 'redlock-universal';
import type { RedisLeaseProvider as Provider } from '../../src/providers/redis/index.js';
import type { Script } from '../../src/providers/redis/script-runner.js';

/** A lock that is held. */
export interface Held {
  renew(): Promise<unknown>;
  release(): Promise<unknown>;
}

/** Something that locks by names, on one connection. */
export interface Locker {
  acquire(name: string): Promise<Held>;
  /** Asks for what another holds, and is refused. */
  contend(name: string): Promise<unknown>;
  close(): Promise<unknown> | unknown;
}

const TTL_MS = 60_000;
const DIST = new URL('../../dist/', import.meta.url).href;

/** Our provider, as an application uses it. */
export async function openOurs(url: string): Promise<Locker> {
  const { RedisLeaseProvider }: { RedisLeaseProvider: typeof Provider } = await import(
    `${DIST}providers/redis/index.js`
  );
  const provider = new RedisLeaseProvider({ url });
  return {
    acquire: async (name) => {
      const owner = randomUUID();
      const { acquired } = await provider.acquireLease(name, owner, TTL_MS);
      if (!acquired) throw new Error(`${name} is held`);
      return {
        renew: () => provider.renewLease(name, owner, TTL_MS),
        release: () => provider.releaseLease(name, owner),
      };
    },
    contend: (name) => provider.acquireLease(name, 'another', TTL_MS),
    close: () => provider.close(),
  };
}

/** The same scripts sent by the package `redis`, with nothing around them. */
export async function openScripts(url: string): Promise<Locker> {
  const scripts: Readonly<Record<'acquire' | 'renew' | 'release', Script>> = await import(
    `${DIST}providers/redis/scripts.generated.js`
  );
  const client = createClient({ url });
  await client.connect();
  for (const { source } of [scripts.acquire, scripts.renew, scripts.release]) await client.scriptLoad(source);
  const run = ({ sha1 }: Script, name: string, ...args: readonly string[]) =>
    client.evalSha(sha1, { keys: [`mastra:topic:lease:${name}`], arguments: [...args] });
  return {
    acquire: async (name) => {
      const owner = randomUUID();
      const reply = await run(scripts.acquire, name, owner, String(TTL_MS));
      if (!Array.isArray(reply) || reply[0] !== 1) throw new Error(`${name} is held`);
      return {
        renew: () => run(scripts.renew, name, owner, String(TTL_MS)),
        release: () => run(scripts.release, name, owner),
      };
    },
    contend: (name) => run(scripts.acquire, name, 'another', String(TTL_MS)),
    close: () => client.destroy(),
  };
}

export async function openRedlock(url: string): Promise<Locker> {
  const client = new Redis(url);
  const redlock = new Redlock([client], { retryCount: 0 });
  return {
    acquire: async (name) => {
      let lock = await redlock.acquire([name], TTL_MS);
      return {
        renew: async () => {
          lock = await lock.extend(TTL_MS);
        },
        release: () => lock.release(),
      };
    },
    contend: (name) => redlock.acquire([name], TTL_MS).catch(() => {}),
    close: () => client.disconnect(),
  };
}

export async function openRedlockUniversal(url: string): Promise<Locker> {
  const client = new Redis(url);
  const adapter = new IoredisAdapter(client);
  const lockOf = (key: string) =>
    createLock({ adapter, key, ttl: TTL_MS, retryAttempts: 0, performance: 'lean' });
  return {
    acquire: async (name) => {
      const lock = lockOf(name);
      const handle = await lock.acquire();
      return { renew: () => lock.extend(handle, TTL_MS), release: () => lock.release(handle) };
    },
    contend: (name) =>
      lockOf(name)
        .acquire()
        .catch(() => {}),
    close: () => client.disconnect(),
  };
}
