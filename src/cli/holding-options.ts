import { assertHoldable } from '../lease/hold-timing.js';
import { threadKey } from '../lease/key.js';
import { uniqueOwner } from '../lease/owner.js';
import { escapeText } from '../lease/text.js';
import type { KeyOutcome } from '../operations/outcome.js';
import type { KeyRequest } from '../operations/resolve-key.js';
import { formatDuration, formatRemaining } from '../output/durations.js';
import { describeKey } from '../output/key-words.js';
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

/** Whose a key is that another has, and for how long still. */
export function whoseText({ key = '', lease }: KeyOutcome): string {
  const holder = lease ? `${escapeText(lease.owner)}'s (${formatRemaining(lease.remainingMs)})` : "another's";
  return `${describeKey(key)} is ${holder}`;
}

/**
 * Shows on a terminal that the backend is asked, and answers what tells of the wait where another has the key: who that is
 * in a line, once for each that has it, since a log has no terminal; on a terminal that it goes on.
 */
export function tellTurn({ printer, context }: Session, waitMs: number): (outcome: KeyOutcome) => void {
  let told: string | undefined;
  tellAsking(printer, context.backend.source);
  return (outcome) => {
    const waiting = `waiting up to ${formatDuration(waitMs)} for its turn`;
    const owner = outcome.lease?.owner ?? '';
    if (owner !== told) void printer.talk(`${waiting}: ${whoseText(outcome)}`);
    told = owner;
    printer.busy(waiting);
  };
}
