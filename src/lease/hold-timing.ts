import { InvalidTtlError } from './errors.js';
import { assertTtlMs } from './ttl.js';

/** A renewal is due after this share of the TTL, as in Mastra's runtime. */
const RENEW_SHARE = 1 / 3;
/** How many renewals have to fit before a lease counts as lost: with less, one that fails is one too many. */
const LEAST_RENEWALS = 1.5;
/** Renewals are moved earlier by up to this share of their interval, so that many holders do not keep step. */
const JITTER_SHARE = 0.1;
const LEAST_MARGIN_MS = 100;
const MARGIN_SHARE = 1 / 50;

/** How much earlier than the TTL a lease counts as over here: clocks run apart, and timers are late. */
export function marginMs(ttlMs: number): number {
  return Math.max(LEAST_MARGIN_MS, ttlMs * MARGIN_SHARE);
}

/** The longest that a call of a holder may take, in milliseconds: by then a renewal is due. */
export function holdCallMs(ttlMs: number): number {
  return ttlMs * RENEW_SHARE;
}

/** The longest that a renewal may take, in milliseconds: one that gets no answer leaves time for another. */
export function renewCallMs(ttlMs: number, graceMs: number): number {
  const leftWhenDueMs = ttlMs * (1 - RENEW_SHARE) - graceMs - marginMs(ttlMs);
  return Math.min(holdCallMs(ttlMs), leftWhenDueMs / 2);
}

/** When a renewal is due, in milliseconds after the last good one was sent. */
export function renewIntervalMs(ttlMs: number): number {
  return ttlMs * RENEW_SHARE * (1 - JITTER_SHARE * Math.random());
}

/** @throws `ERR_LEASE_INVALID_TTL` when one failed renewal would already be too many. */
export function assertHoldable(ttlMs: number, graceMs: number): void {
  assertTtlMs(ttlMs);
  if (!Number.isFinite(graceMs) || graceMs < 0) {
    throw new InvalidTtlError(`Expected a grace of 0 or more milliseconds, got ${graceMs}`);
  }
  const neededMs = LEAST_RENEWALS * RENEW_SHARE * ttlMs;
  if (ttlMs - graceMs - marginMs(ttlMs) >= neededMs) return;
  const spareShare = 1 - LEAST_RENEWALS * RENEW_SHARE;
  const leastTtlMs = Math.max(
    Math.ceil((graceMs + LEAST_MARGIN_MS) / spareShare),
    Math.ceil(graceMs / (spareShare - MARGIN_SHARE)),
  );
  throw new InvalidTtlError(
    `Expected a TTL that leaves time for one and a half renewals, got ${ttlMs} ms with a grace of ${graceMs} ms`,
    { remedy: `a TTL of ${leastTtlMs} ms or more, or a shorter grace` },
  );
}
