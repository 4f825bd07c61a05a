import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../lease/clock.js';
import { ClosedError, UnverifiedError } from '../../../lease/errors.js';
import type { LeaseChange, WatchOptions } from '../../../lease/inspector.js';
import { endsWatch, stalenessOf } from '../../../lease/watch-failure.js';
import { TransportError } from '../transport-error.js';
import { ServerFinder } from './find-servers.js';
import { followTracking } from './follow-tracking.js';
import { pollServers } from './poll-servers.js';
import { RecordNames } from './record-names.js';
import type { TrackingTarget } from './tracking.js';
import { TrackingRefused } from './tracking-refused.js';

/** Milliseconds from one attempt to the next, at least at first and at most later: a server that is back is soon seen. */
const BACKOFF_MS = { first: 100, most: 1_500 } as const;
/** A view that was live for so long, in milliseconds, is tried again at once when it is lost. */
const STEADY_MS = 10_000;
/** A snapshot that failed though the servers were there costs them as much the next time. */
const REST_PER_SNAPSHOT = 3;
const MAX_REST_MS = 10_000;

/** What a watch needs of its provider. */
export interface WatchHost extends Omit<TrackingTarget, 'names' | 'finder'> {
  /** Aborted when the provider is closed. */
  readonly closing: AbortSignal;
}

/**
 * Watches by client tracking, or by polling where that is refused. It connects by itself, apart from the provider's
 * calls, and again whenever what it had is lost; then everything begins with a snapshot.
 */
export async function* watchLeases(
  { closing, ...host }: WatchHost,
  { signal, keys }: WatchOptions,
): AsyncGenerator<LeaseChange, void, undefined> {
  const ending = AbortSignal.any([signal, closing]);
  const target: TrackingTarget = {
    ...host,
    names: new RecordNames(host.keyPrefix),
    finder: new ServerFinder(host.target, host.options),
  };
  const progress = new Progress();
  let refusal: string | undefined;
  for (;;) {
    if (closing.aborted) throw new ClosedError('watch: the provider was closed');
    if (signal.aborted) return;
    progress.begin();
    try {
      const options = { signal: ending, keys };
      const changes =
        refusal === undefined
          ? followTracking(target, options)
          : pollServers(target, { ...options, why: refusal });
      for await (const change of changes) {
        progress.note(change);
        yield change;
      }
    } catch (error) {
      if (ending.aborted) continue;
      if (error instanceof TrackingRefused) {
        refusal = error.message;
        continue;
      }
      if (progress.endsWith(error)) throw error;
      const why = stalenessOf(error);
      if (progress.isNews(why.reason)) yield { kind: 'stale', ...why };
      await sleep(progress.pauseMs(error), undefined, { signal: ending }).catch(() => {});
    }
  }
}

/** How a watch gets on: what it was and told, and so when to try again. */
class Progress {
  #hasBeenLive = false;
  #staleFor: string | undefined;
  #attempts = 0;
  #startedAtMs = 0;
  #liveAtMs: number | undefined;
  #snapshotAtMs: number | undefined;

  begin(): void {
    this.#startedAtMs = systemClock.monotonicMs();
    this.#liveAtMs = undefined;
    this.#snapshotAtMs = undefined;
  }

  note(change: LeaseChange): void {
    if (change.kind === 'snapshot-start') {
      this.#snapshotAtMs = systemClock.monotonicMs();
      this.#staleFor = undefined;
    } else if (change.kind === 'snapshot-end') {
      this.#snapshotAtMs = undefined;
    } else if (change.kind === 'live') {
      this.#liveAtMs ??= systemClock.monotonicMs();
      this.#hasBeenLive = true;
    } else if (change.kind === 'stale') {
      this.#staleFor = change.reason;
    }
  }

  endsWith(error: unknown): boolean {
    if (error instanceof TransportError) return false;
    // Neither does a role become known by waiting.
    return endsWatch(error, this.#hasBeenLive) || (error instanceof UnverifiedError && !this.#hasBeenLive);
  }

  isNews(reason: string): boolean {
    const isNews = this.#staleFor !== reason;
    this.#staleFor = reason;
    return isNews;
  }

  /** Milliseconds until the next attempt. */
  pauseMs(error: unknown): number {
    const nowMs = systemClock.monotonicMs();
    const wasSteady = this.#liveAtMs !== undefined && nowMs - this.#liveAtMs > STEADY_MS;
    this.#attempts = wasSteady ? 0 : this.#attempts + 1;
    const fullMs = Math.min(BACKOFF_MS.first * 2 ** this.#attempts, BACKOFF_MS.most);
    // Not all watches of a server that was lost at the same time.
    const backoffMs = fullMs * (0.5 + Math.random() / 2);
    const leftMs = backoffMs - (this.#liveAtMs === undefined ? nowMs - this.#startedAtMs : 0);
    const snapshotMs =
      this.#snapshotAtMs === undefined || error instanceof TransportError ? 0 : nowMs - this.#snapshotAtMs;
    const restMs = Math.min(snapshotMs * REST_PER_SNAPSHOT, MAX_REST_MS);
    return Math.max(BACKOFF_MS.first / 2, leftMs, restMs);
  }
}
