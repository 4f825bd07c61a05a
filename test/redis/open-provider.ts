import { inspect } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { LeaseError, type LeaseErrorCode } from '../../src/lease/errors.js';
import type { Lease, ListOptions } from '../../src/lease/inspector.js';
import { type RedisLeaseOptions, RedisLeaseProvider } from '../../src/providers/redis/index.js';

/** The record of a lease under the default prefix. */
export function recordOf(key: string): string {
  return `mastra:topic:lease:${key}`;
}

/** A provider that is closed when the test has finished. */
export function openProvider(url: string, options: Omit<RedisLeaseOptions, 'url'> = {}): RedisLeaseProvider {
  const provider = new RedisLeaseProvider({ url, ...options });
  onTestFinished(() => provider.close());
  return provider;
}

/** The error that a call rejects with; none of its text may hold `secret`. */
export async function failureOf(work: Promise<unknown>, secret?: string): Promise<LeaseError> {
  const error = await work.then(
    (value) => expect.fail(`Expected a rejection, got ${inspect(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof LeaseError)) throw error;
  if (secret !== undefined) expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  return error;
}

/** The code that a call rejects with. */
export async function codeOf(work: Promise<unknown>): Promise<LeaseErrorCode> {
  return (await failureOf(work)).code;
}

/** What a listing yielded and how it ended. */
export async function readAll(
  provider: RedisLeaseProvider,
  options?: ListOptions,
): Promise<{ leases: Lease[]; error: unknown }> {
  const leases: Lease[] = [];
  try {
    for await (const lease of provider.listLeases(options)) leases.push(lease);
    return { leases, error: undefined };
  } catch (error) {
    return { leases, error };
  }
}

/** The keys of a listing that has to end well, sorted. */
export async function listKeys(provider: RedisLeaseProvider): Promise<string[]> {
  const { leases, error } = await readAll(provider);
  if (error !== undefined) throw error;
  return leases.map(({ key }) => key).sort();
}

/** The verbs of the contract and the reads, each on a key of its own. */
export const VERBS = {
  acquire: (provider: RedisLeaseProvider, key: string) => provider.acquireLease(key, 'o', 10_000),
  renew: (provider: RedisLeaseProvider, key: string) => provider.renewLease(key, 'o', 10_000),
  transfer: (provider: RedisLeaseProvider, key: string) => provider.transferLease(key, 'o', 'p', 10_000),
  release: (provider: RedisLeaseProvider, key: string) => provider.releaseLease(key, 'o'),
  getLeaseOwner: (provider: RedisLeaseProvider, key: string) => provider.getLeaseOwner(key),
  readLease: (provider: RedisLeaseProvider, key: string) => provider.readLease(key),
} as const;

export const VERB_NAMES = ['acquire', 'renew', 'transfer', 'release', 'getLeaseOwner', 'readLease'] as const;
export const WRITES = ['acquire', 'renew', 'transfer', 'release'] as const;
export const READS = ['getLeaseOwner', 'readLease'] as const;
