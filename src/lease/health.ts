import type { Lease } from './inspector.js';
import { type KeyKind, parseKey } from './key.js';
import { DEFAULT_TTL_MS } from './ttl.js';

/**
 * What one look at a lease tells about its holder.
 *
 * - `no-expiry`: it never ends by itself.
 * - `late`: less than two thirds of its TTL are left, so a renewal (every third of the TTL) is overdue.
 * - `ok`: anything else.
 */
export type LeaseHealth = (typeof HEALTHS)[number];

/** All healths, worst first. */
export const HEALTHS = ['no-expiry', 'late', 'ok'] as const;

/** The runtime's TTL of its durable-agent leases, in milliseconds. */
const DURABLE_TTL_MS = 30_000;

/** A lease's health, and the TTL it was inferred from: a lease does not say what TTL it was given. */
export interface HealthReading {
  readonly health: LeaseHealth;
  /** The TTL that was assumed, in milliseconds; absent where nothing had to be assumed. */
  readonly assumedTtlMs?: number;
}

/**
 * Reads a lease's health. `threadTtlMs` is the lease time of the runtime that is looked at.
 *
 * @example
 * ```ts
 * import { readHealth, threadKey } from 'mastra-lease';
 *
 * const key = threadKey({ resource: 'user-42', thread: 't-1' });
 * readHealth({ key, owner: 'run-1', remainingMs: 12_000 }); // => { health: 'ok', assumedTtlMs: 15_000 }
 * readHealth({ key, owner: 'run-1', remainingMs: 4_000 }); // => { health: 'late', assumedTtlMs: 15_000 }
 * readHealth({ key, owner: 'run-1', remainingMs: null }); // => { health: 'no-expiry' }
 * ```
 */
export function readHealth(lease: Lease, threadTtlMs: number = DEFAULT_TTL_MS): HealthReading {
  if (lease.remainingMs === null) return { health: 'no-expiry' };
  const assumedTtlMs = renewedTtlMs(parseKey(lease.key).kind, threadTtlMs);
  if (assumedTtlMs === undefined) return { health: 'ok' };
  return { health: lease.remainingMs * 3 < assumedTtlMs * 2 ? 'late' : 'ok', assumedTtlMs };
}

/** The TTL that the runtime gives a lease which it renews; `undefined` for kinds it does not renew, or unknown ones. */
function renewedTtlMs(kind: KeyKind, threadTtlMs: number): number | undefined {
  if (kind === 'thread') return threadTtlMs;
  if (kind === 'recovery' || kind === 'execution') return DURABLE_TTL_MS;
  return undefined;
}

/**
 * Orders leases worst first: without expiry, then late, then by what is left.
 *
 * @example
 * ```ts
 * import { compareWorstFirst, readHealth } from 'mastra-lease';
 * import { MemoryLeaseProvider } from 'mastra-lease/memory';
 *
 * const provider = new MemoryLeaseProvider();
 * await provider.acquireLease('nightly', 'job-1', 60_000);
 * await provider.acquireLease('deploy', 'job-2', 15_000);
 * const leases = [];
 * for await (const lease of provider.listLeases()) leases.push({ ...lease, ...readHealth(lease) });
 * leases.sort(compareWorstFirst).map(({ key }) => key); // => ['deploy', 'nightly']
 * ```
 */
export function compareWorstFirst(a: Lease & HealthReading, b: Lease & HealthReading): number {
  return HEALTHS.indexOf(a.health) - HEALTHS.indexOf(b.health) || (a.remainingMs ?? 0) - (b.remainingMs ?? 0);
}
