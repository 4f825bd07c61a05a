import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../lease/clock.js';
import { Countdown } from '../../../lease/countdown.js';
import type { Lease, LeaseChange, ListProgress, WatchOptions } from '../../../lease/inspector.js';
import { leaseId } from '../../../lease/lease-id.js';
import { listLeases } from '../listing.js';
import { ScriptRunner } from '../script-runner.js';
import { Tracking, type TrackingTarget } from './tracking.js';

/** Milliseconds between two readings: what changes in between is read together, and a key that changes often once. */
const FRAME_MS = 20;
/** Leases in one reading. */
const LEASES_PER_READING = 1_000;
/** A snapshot that is asked for soon after another waits for so many times as long as that one took. */
const REST_PER_SNAPSHOT = 3;

/**
 * A snapshot, then what the servers tell, until the signal ends it or it fails: then something may be missed, and
 * everything begins anew with another call.
 *
 * @throws the signal's reason, `TrackingRefused`, `TransportError`, `LeaseError`.
 */
export async function* followTracking(
  target: TrackingTarget,
  { signal, keys }: WatchOptions,
): AsyncGenerator<LeaseChange, never, undefined> {
  const only = keys && new Set(keys);
  const tracking = await Tracking.open(target, (id) => only === undefined || only.has(id), signal);
  const view = new TrackedView(target, tracking, only);
  try {
    yield* view.snapshot();
    let readAtMs = 0;
    for (;;) {
      tracking.ended.throwIfAborted();
      if (tracking.takeAllChanged()) {
        const restMs = view.restBeforeSnapshotMs();
        if (restMs > 0) {
          yield {
            kind: 'stale',
            reason: 'all keys were removed on the server, more than once in a short time',
          };
          await sleep(restMs, undefined, { signal: tracking.ended }).catch(() => {});
          tracking.ended.throwIfAborted();
        }
        yield* view.snapshot();
      } else if (tracking.hasChanges) {
        const waitMs = readAtMs + FRAME_MS - systemClock.monotonicMs();
        if (waitMs > 0) await sleep(Math.ceil(waitMs));
        readAtMs = systemClock.monotonicMs();
        yield* view.readChanges();
      } else {
        await tracking.bell.heard();
      }
    }
  } catch (error) {
    // What ended it says more than what failed for that.
    tracking.ended.throwIfAborted();
    throw error;
  } finally {
    view.close();
    tracking.close();
  }
}

/** The leases as they were told last. */
class TrackedView {
  readonly #target: TrackingTarget;
  readonly #tracking: Tracking;
  readonly #only: ReadonlySet<string> | undefined;
  readonly #held: Countdown;
  #snapshotMs = 0;
  #snapshotAtMs = Number.NEGATIVE_INFINITY;

  constructor(target: TrackingTarget, tracking: Tracking, only: ReadonlySet<string> | undefined) {
    this.#target = target;
    this.#tracking = tracking;
    this.#only = only;
    // What has come to its end may have been renewed: it is read as any other that may have changed.
    this.#held = new Countdown({ clock: systemClock, onDue: (ids) => tracking.addChanged(ids) });
  }

  close(): void {
    this.#held.clear();
  }

  /** Milliseconds that a snapshot which is due now has to wait, so that snapshots are not all that the server does. */
  restBeforeSnapshotMs(): number {
    return this.#snapshotAtMs + REST_PER_SNAPSHOT * this.#snapshotMs - systemClock.monotonicMs();
  }

  async *snapshot(): AsyncGenerator<LeaseChange> {
    const tracking = this.#tracking;
    const startedAtMs = systemClock.monotonicMs();
    // What was told so far is in the snapshot; what is told from here on is read after it.
    tracking.takeAllChanged();
    tracking.takeChanged(Number.POSITIVE_INFINITY);
    this.#held.clear();
    yield { kind: 'snapshot-start' };
    yield* this.#only ? this.#readNamed([...this.#only]) : this.#list();
    await tracking.verifySlots();
    yield { kind: 'snapshot-end' };
    this.#snapshotAtMs = systemClock.monotonicMs();
    this.#snapshotMs = this.#snapshotAtMs - startedAtMs;
    yield { kind: 'live', how: 'pushed', commandsPerSecond: tracking.commandsPerSecond };
  }

  async *readChanges(): AsyncGenerator<LeaseChange> {
    const tracking = this.#tracking;
    const ids = tracking.takeChanged(LEASES_PER_READING);
    // That a key which nobody held is free is no news, and needs no proof.
    const readings = await tracking.read(ids, { mustProve: (id) => this.#held.has(id), areNamed: false });
    const readAtMs = systemClock.monotonicMs();
    const leases: Lease[] = [];
    const keys: string[] = [];
    const unsettled: string[] = [];
    for (const { id, found } of readings) {
      if (found === 'unsettled') unsettled.push(id);
      else if (found !== 'free') leases.push(this.#hold(found, readAtMs));
      else if (this.#held.delete(id)) keys.push(this.#target.names.keyOf(id).key);
    }
    tracking.addChanged(unsettled);
    if (leases.length > 0) yield { kind: 'held', leases, readAtMs };
    if (keys.length > 0) yield { kind: 'free', keys, readAtMs };
  }

  async *#list(): AsyncGenerator<LeaseChange> {
    const signal = this.#tracking.ended;
    const client = this.#tracking.client();
    const scripts = new ScriptRunner(client, true);
    let stepAtMs = 0;
    const onProgress = ({ readAtMs = systemClock.monotonicMs() }: ListProgress) => {
      stepAtMs = readAtMs;
    };
    let leases: Lease[] = [];
    let readAtMs = 0;
    for await (const lease of listLeases(client, scripts, this.#target.keyPrefix, { signal, onProgress })) {
      if (readAtMs !== stepAtMs && leases.length > 0) {
        yield { kind: 'held', leases, readAtMs };
        leases = [];
      }
      readAtMs = stepAtMs;
      leases.push(this.#hold(lease, readAtMs));
    }
    if (leases.length > 0) yield { kind: 'held', leases, readAtMs };
  }

  async *#readNamed(ids: readonly string[]): AsyncGenerator<LeaseChange> {
    for (let from = 0; from < ids.length; from += LEASES_PER_READING) {
      const some = ids.slice(from, from + LEASES_PER_READING);
      const readings = await this.#tracking.read(some, { mustProve: () => true, areNamed: true });
      const readAtMs = systemClock.monotonicMs();
      const leases = readings.flatMap(({ found }) => (typeof found === 'object' ? [found] : []));
      for (const lease of leases) this.#hold(lease, readAtMs);
      this.#tracking.addChanged(readings.flatMap(({ id, found }) => (found === 'unsettled' ? [id] : [])));
      if (leases.length > 0) yield { kind: 'held', leases, readAtMs };
    }
  }

  #hold(lease: Lease, readAtMs: number): Lease {
    this.#held.set(leaseId(lease), lease.remainingMs === null ? null : readAtMs + lease.remainingMs);
    return lease;
  }
}
