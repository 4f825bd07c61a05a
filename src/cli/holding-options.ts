import { assertHoldable } from '../lease/hold-timing.js';
import { threadKey } from '../lease/key.js';
import { uniqueOwner } from '../lease/owner.js';
import type { KeyRequest } from '../operations/resolve-key.js';
import { formatDuration } from '../output/durations.js';
import { tellAsking } from './asking.js';
import type { CliIo } from './io.js';
import { parseDuration, parseOwnerOption } from './options.js';
import type { Session } from './session.js';

/** Who claims: `--owner`, `MASTRA_LEASE_OWNER`, or a fresh unique owner. */
export function readClaimant(written: string | undefined, io: Pick<CliIo, 'env' | 'identity'>): string {
  const named = written ?? (io.env.MASTRA_LEASE_OWNER || undefined);
  return named === undefined ? uniqueOwner(io.identity()) : parseOwnerOption(named, '--owner');
}

/** `--wait`, in milliseconds; without it nothing is waited for. */
export function parseWait(flag: string | undefined): number {
  return flag === undefined ? 0 : parseDuration(flag, '--wait');
}

/** `--grace`, in milliseconds, checked against the TTL. */
export function parseGrace(flag: string | undefined, ttlMs: number, defaultMs: number): number {
  const graceMs = flag === undefined ? defaultMs : parseDuration(flag, '--grace');
  assertHoldable(ttlMs, graceMs);
  return graceMs;
}

/** The key that a request names, where it takes no look at the leases to know it. */
export function knownKey(request: KeyRequest): string | undefined {
  if (request.by === 'key') return request.key;
  const { thread, resource } = request;
  return resource === undefined ? undefined : threadKey({ resource, thread });
}

/** Shows on a terminal what a claim waits for: the answer, or its turn where another may have the key. */
export function tellWaiting({ printer, context }: Session, waitMs: number): void {
  if (waitMs > 0) printer.busy(`waiting up to ${formatDuration(waitMs)} for its turn`);
  else tellAsking(printer, context.backend.source);
}
