import type { RecordedCall } from './call.js';
import { type Finding, notShown } from './clause.js';
import type { Setting } from './setting.js';
import type { Trial } from './trial.js';

/** Long enough to be out of the picture, in milliseconds. */
export const LONG_TTL_MS = 60_000;

/**
 * How early, in milliseconds, an end may be: providers count in whole milliseconds and by other clocks than ours, which
 * are slewed. Anything more is early.
 */
export const EARLY_TOLERANCE_MS = 10;

/** From how many milliseconds a call on it is waiting that counts, and not the work at either end. */
const SLOW_CALL_MS = 10;

/** The shortest TTL that a measurement begins with, in milliseconds. */
const SHORTEST_TTL_MS = 200;

/** How often a measurement is made again with twice the TTL because the machine was too slow for it to mean anything. */
const MEASUREMENTS = 5;

/** Whether calls take so long that a busy clause disturbs no other, and has to hurry. */
export function isSlow({ roundTripMs }: Pick<Setting, 'roundTripMs'>): boolean {
  return roundTripMs >= SLOW_CALL_MS;
}

/** Whether `probe` had its answer while the lease that `grant` gave was held for certain. */
export function isWithin(probe: RecordedCall, grant: RecordedCall, ttlMs: number): boolean {
  return probe.endMs <= grant.startMs + ttlMs - EARLY_TOLERANCE_MS;
}

/** From when on, on the run's clock, the lease that `grant` gave is over for certain, its tolerance included. */
function overAt(trial: Trial, grant: RecordedCall, ttlMs: number): number {
  return grant.endMs + ttlMs + trial.setting.expiryToleranceMs;
}

/** Waits until the lease that `grant` gave is over for certain. */
export function waitUntilOver(trial: Trial, grant: RecordedCall, ttlMs: number): Promise<void> {
  return trial.sleepUntil(overAt(trial, grant, ttlMs));
}

/** A TTL that a few calls fit into, in milliseconds. */
export function shortTtlMs({ setting }: Trial): number {
  return Math.max(SHORTEST_TTL_MS, Math.ceil(setting.roundTripMs) * 12);
}

/**
 * Measures with a short TTL. A measurement that answers `void` says nothing, neither for nor against the provider: it
 * is made again with twice the TTL. What is seen once is never measured again.
 */
export async function measure(
  trial: Trial,
  measurement: (ttlMs: number) => Promise<Finding | 'void'>,
): Promise<Finding> {
  let ttlMs = shortTtlMs(trial);
  for (let attempt = 0; attempt < MEASUREMENTS; attempt += 1) {
    const finding = await measurement(ttlMs);
    if (finding !== 'void') return finding;
    ttlMs *= 2;
  }
  return notShown(`calls took too long for leases of ${ttlMs / 2} ms`);
}
