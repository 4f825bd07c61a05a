import type { LeaseHealth } from '../lease/health.js';
import { parseKey } from '../lease/key.js';
import { leaseId } from '../lease/lease-id.js';
import { compileFilter, type Filtered, type LeaseFilter } from './list-leases.js';
import type { LeaseEvent, WatchEvent } from './watch-event.js';

/** Which leases a watch is about; all given conditions must hold. */
export interface WatchFilter extends LeaseFilter {
  /** Exactly this thread id, of whatever resource. */
  readonly thread?: string | undefined;
  /** One of exactly these keys. */
  readonly keys?: readonly string[] | undefined;
}

/**
 * Lets through what is about the leases that a filter means. A lease that was let through once is followed to its end,
 * whoever has it by then and however it is: what is shown never just stays.
 */
export class WatchFilterer {
  readonly #isEverything: boolean;
  readonly #isWanted: (lease: Filtered) => boolean;
  readonly #followed = new Set<string>();

  constructor({ thread, keys, ...filter }: WatchFilter) {
    this.#isEverything = [thread, keys, ...Object.values(filter)].every((value) => value === undefined);
    const isWanted = compileFilter(filter);
    const wantedKeys = keys && new Set(keys);
    this.#isWanted = (lease) =>
      (wantedKeys === undefined || wantedKeys.has(lease.key)) &&
      (thread === undefined || (lease.parts.kind === 'thread' && lease.parts.thread === thread)) &&
      isWanted(lease);
  }

  /** The event, or as much of it as is wanted. */
  pass(event: WatchEvent): WatchEvent | undefined {
    if (this.#isEverything || event.type === 'backend-up' || event.type === 'backend-down') return event;
    if (event.type !== 'snapshot') return this.#passesLease(event) ? event : undefined;
    const leases = event.leases.filter(
      (lease) =>
        this.#followed.has(leaseId(lease)) || this.#isWanted({ ...lease, parts: parseKey(lease.key) }),
    );
    // Across a gap: what is not in the snapshot has ended, and its end is still to be told.
    for (const lease of leases) this.#followed.add(leaseId(lease));
    return { ...event, leases };
  }

  #passesLease(event: LeaseEvent): boolean {
    const id = leaseId(event);
    if (isEnd(event)) return this.#followed.delete(id);
    if (this.#followed.has(id)) return true;
    const { key, owner } = event;
    const health = healthAfter(event);
    if (!this.#isWanted({ key, owner, parts: parseKey(key), ...(health !== undefined && { health }) })) {
      return false;
    }
    this.#followed.add(id);
    return true;
  }
}

/** Lets the events through that a filter means. */
export async function* filterEvents(
  events: AsyncIterable<WatchEvent>,
  filter: WatchFilter,
): AsyncGenerator<WatchEvent, void, undefined> {
  const filterer = new WatchFilterer(filter);
  for await (const event of events) {
    const passed = filterer.pass(event);
    if (passed) yield passed;
  }
}

function isEnd({ type }: LeaseEvent): boolean {
  return type === 'released' || type === 'expired';
}

function healthAfter({ type, remainingMs }: LeaseEvent): LeaseHealth | undefined {
  if (remainingMs === undefined) return undefined;
  if (remainingMs === null) return 'no-expiry';
  return type === 'late' ? 'late' : 'ok';
}
