/** What is known of how long a lease is given, and whether anybody renews it. */
export interface RenewalFacts {
  /** The longest time left that was seen since its owner has it, in milliseconds. */
  readonly longestMs: number;
  /** Whether it was seen being given or renewed, so that `longestMs` is its TTL, near enough. */
  readonly isGrantSeen: boolean;
  /** Whether it was seen being renewed. */
  readonly isRenewalSeen: boolean;
  /** The TTL that the runtime gives leases of this kind; absent for kinds that it does not renew. */
  readonly assumedTtlMs?: number;
}

/**
 * The TTL to measure lateness by. `undefined` for a lease that nobody is known to renew: it is not late, it ends.
 */
export function referenceTtlMs(facts: RenewalFacts): number | undefined {
  const { longestMs, isGrantSeen, isRenewalSeen, assumedTtlMs } = facts;
  if (assumedTtlMs === undefined && !isRenewalSeen) return undefined;
  return isGrantSeen ? longestMs : Math.max(longestMs, assumedTtlMs ?? 0);
}

/** The least time after a renewal was due that counts, in milliseconds. */
const MIN_SLACK_MS = 250;

/**
 * The time left below which a lease is late. The runtime renews when two thirds of the TTL are left, so a healthy
 * lease goes down to just there: only what goes on for a thirtieth of the TTL more is told. `undefined`: never late.
 */
export function lateBelowMs(facts: RenewalFacts): number | undefined {
  const ttlMs = referenceTtlMs(facts);
  if (ttlMs === undefined) return undefined;
  const belowMs = (ttlMs * 2) / 3 - Math.max(MIN_SLACK_MS, ttlMs / 30);
  return belowMs > 0 ? belowMs : undefined;
}

/** Whether a lease that was just read is late. */
export function isLateAt(facts: RenewalFacts, remainingMs: number | null | undefined): boolean {
  const belowMs = lateBelowMs(facts);
  return typeof remainingMs === 'number' && belowMs !== undefined && remainingMs < belowMs;
}
