/**
 * A process that uses providers as an application does: one for each call, connected before the fault comes. It runs the
 * built ones, since Node strips types but does not map `.js` imports to `.ts` files.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Lease } from '../../src/lease/inspector.js';
import type {
  LibraryAnswer,
  LibraryCall,
  LibraryMessage,
  LibraryPlan,
  LibraryVerb,
} from './library-protocol.js';

type Redis = typeof import('../../src/providers/redis/index.js');
type Sqlite = typeof import('../../src/providers/sqlite/index.js');
type Provider = InstanceType<Redis['RedisLeaseProvider']> | InstanceType<Sqlite['SqliteLeaseProvider']>;

const TTL_MS = 600_000;
const CLOSING_MS = 3_000;

const { calls, timeoutMs }: LibraryPlan = JSON.parse(process.argv[2] ?? '');
const redis: Redis = await import(new URL('../../dist/providers/redis/index.js', import.meta.url).href);
const sqlite: Sqlite = await import(new URL('../../dist/providers/sqlite/index.js', import.meta.url).href);

const VERBS: Readonly<Record<LibraryVerb, (provider: Provider, key: string) => Promise<Seen>>> = {
  getLeaseOwner: async (provider, key) => held(await provider.getLeaseOwner(key)),
  readLease: async (provider, key) => held((await provider.readLease(key))?.owner),
  listLeases: async (provider, key) => {
    const found: Lease[] = [];
    for await (const lease of provider.listLeases()) found.push(lease);
    return held(found.find((lease) => lease.key === key)?.owner);
  },
  acquireLease: (provider, key) => acquire(provider, key, 'run-1'),
  'acquireLease (held)': (provider, key) => acquire(provider, key, 'run-2'),
  renewLease: async (provider, key) => moved(await provider.renewLease(key, 'run-1', TTL_MS), 'run-1'),
  transferLease: async (provider, key) =>
    moved(await provider.transferLease(key, 'run-1', 'run-2', TTL_MS), 'run-2'),
  releaseLease: async (provider, key) => {
    await provider.releaseLease(key, 'run-1');
    return { value: 'resolved', holder: undefined };
  },
};

interface Seen {
  readonly value: string;
  readonly holder: string | undefined;
}

function held(owner: string | undefined): Seen {
  return { value: owner === undefined ? 'undefined' : `'${owner}'`, holder: owner };
}

function moved(done: boolean, holder: string): Seen {
  return { value: String(done), holder: done ? holder : undefined };
}

async function acquire(provider: Provider, key: string, owner: string): Promise<Seen> {
  const result = await provider.acquireLease(key, owner, TTL_MS);
  return { value: inspect(result), holder: result.owner };
}

function open({ backend, tls }: LibraryCall): Provider {
  return backend.startsWith('sqlite:')
    ? new sqlite.SqliteLeaseProvider({
        path: backend.slice('sqlite:'.length),
        busyTimeoutMs: () => timeoutMs,
      })
    : new redis.RedisLeaseProvider({ url: backend, timeoutMs, ...(tls && { tls }) });
}

async function use(provider: Provider, { verb, key }: LibraryCall): Promise<LibraryAnswer> {
  const startedAt = performance.now();
  try {
    const seen = await VERBS[verb](provider, key);
    return { kind: 'answer', ...seen, ms: performance.now() - startedAt };
  } catch (error) {
    const ms = performance.now() - startedAt;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'NO CODE';
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'error', code, message, inspected: inspect(error, { depth: 10, showHidden: true }), ms };
  }
}

/** All at once, but for SQLite: its calls block, and each would wait for the others. */
async function callAll(): Promise<readonly LibraryAnswer[]> {
  if (calls.every(({ backend }) => !backend.startsWith('sqlite:'))) {
    return Promise.all(providers.map(({ provider, call }) => use(provider, call)));
  }
  const answers: LibraryAnswer[] = [];
  for (const { provider, call } of providers) answers.push(await use(provider, call));
  return answers;
}

/** What keeps this process alive that did not before; a socket that is closed takes a moment to go. */
async function leftOpen(before: readonly string[]): Promise<readonly string[]> {
  const until = performance.now() + CLOSING_MS;
  for (;;) {
    const left = [...process.getActiveResourcesInfo()];
    for (const name of before) {
      const at = left.indexOf(name);
      if (at >= 0) left.splice(at, 1);
    }
    if (left.length === 0 || performance.now() > until) return left;
    await sleep(20);
  }
}

function tell(message: LibraryMessage): void {
  process.send?.(message);
}

const struck = new Promise((resolve) => process.once('message', resolve));
const before = process.getActiveResourcesInfo();
const providers = calls.map((call) => ({ call, provider: open(call) }));
await Promise.all(providers.map(({ provider, call }) => provider.readLease(call.key).catch(() => {})));
tell({ message: 'connected' });
await struck;
tell({ message: 'answers', answers: await callAll() });
await Promise.all(providers.map(({ provider }) => provider.close()));
tell({ message: 'closed', leftOpen: await leftOpen(before) });
process.disconnect();
