/** A process that does the same thing over and over, and tells what it has of memory, handles and listeners. */
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeakMessage, LeakPlan, Sample } from './leak-protocol.js';

type Redis = typeof import('../../../src/providers/redis/index.js');
type Sqlite = typeof import('../../../src/providers/sqlite/index.js');
type Library = typeof import('../../../src/index.js');
type Provider = InstanceType<Redis['RedisLeaseProvider']> | InstanceType<Sqlite['SqliteLeaseProvider']>;

const DIST = new URL('../../../dist/', import.meta.url);
const { RedisLeaseProvider }: Redis = await import(new URL('providers/redis/index.js', DIST).href);
const { SqliteLeaseProvider }: Sqlite = await import(new URL('providers/sqlite/index.js', DIST).href);
const { holdLease }: Library = await import(new URL('index.js', DIST).href);

/** How often it is looked while the verbs are repeated. */
const SAMPLES = 5;
const TTL_MS = 60_000;

const plan: LeakPlan = JSON.parse(process.argv[2] ?? '');
/** Every call is given this one signal, as an application gives its own: nothing may stay on it. */
const { signal } = new AbortController();

function open(connection: 'kept' | 'one-shot' = 'kept'): Provider {
  return plan.backend.startsWith('sqlite:')
    ? new SqliteLeaseProvider({ path: plan.backend.slice('sqlite:'.length) })
    : new RedisLeaseProvider({ url: plan.backend, connection, timeoutMs: 10_000 });
}

/** Every verb, by both the owner and another. */
async function everyVerb(leases: Provider, key: string): Promise<void> {
  await leases.acquireLease(key, 'run-1', TTL_MS);
  await leases.acquireLease(key, 'run-2', TTL_MS);
  await leases.getLeaseOwner(key);
  await leases.readLease(key);
  await leases.renewLease(key, 'run-1', TTL_MS);
  await leases.renewLease(key, 'run-2', TTL_MS);
  await leases.transferLease(key, 'run-1', 'run-2', TTL_MS);
  await leases.releaseLease(key, 'run-1');
  for await (const _lease of leases.listLeases({ signal })) break;
  await leases.releaseLease(key, 'run-2');
  const held = await holdLease(leases, key, 'run-3', { ttlMs: TTL_MS, signal });
  if (held.acquired) await held.lease.release();
}

async function sample(): Promise<Sample> {
  // What was closed takes a moment to go.
  await sleep(100);
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await sleep(10);
  }
  return {
    heapBytes: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().sort(),
    listeners:
      getEventListeners(signal, 'abort').length +
      process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}

function tell(message: LeakMessage): void {
  process.send?.(message);
}

async function repeatVerbs(cycles: number, connection: 'kept' | 'one-shot'): Promise<void> {
  const leases = open(connection);
  for (let index = 0; index < cycles / SAMPLES; index += 1) await everyVerb(leases, 'warm-up');
  for (let at = 0; at <= SAMPLES; at += 1) {
    tell({ message: 'sample', at: `${at} of ${SAMPLES}`, sample: await sample() });
    for (let index = 0; at < SAMPLES && index < cycles / SAMPLES; index += 1) {
      await everyVerb(leases, `key-${index % 50}`);
      // Now and then a provider of its own, which is closed again.
      if (index % 10 !== 0) continue;
      const another = open(connection);
      await another.readLease('key-0');
      await another.close();
    }
  }
  await leases.close();
}

async function followChanges(): Promise<void> {
  const stop = new AbortController();
  process.on('message', (word) => {
    if (word === 'stop') stop.abort();
    else void sample().then((seen) => tell({ message: 'sample', at: String(word), sample: seen }));
  });
  const leases = open();
  for await (const change of leases.watchLeases({ signal: stop.signal })) {
    if (change.kind === 'live') tell({ message: 'live' });
  }
  await leases.close();
}

if (plan.kind === 'verbs') await repeatVerbs(plan.cycles, plan.connection ?? 'kept');
else await followChanges();
tell({ message: 'done' });
process.disconnect();
