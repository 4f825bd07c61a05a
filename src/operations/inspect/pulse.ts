import { isLeaseError, type LeaseError } from '../../lease/errors.js';
import type { ReadThreadOptions, ThreadActivity, ThreadEvidence } from '../../lease/evidence.js';
import type { SeenLease } from '../../lease/inspector.js';
import { type ListEnd, type ListedLease, type ListRequest, listLeases } from '../list-leases.js';
import { mapAtOnce } from './at-once.js';
import { type InspectContext, type Inspection, judged, readFacts } from './inspect.js';
import type { Related } from './related.js';

/** How many threads are asked about at the same time. */
export const THREADS_AT_ONCE = 64;

/** Every held lease that was asked for, judged, in the order in which they were found. */
export interface Pulse {
  readonly inspections: readonly Inspection[];
  /** Not complete when the listing is not, or when the events of a thread could not be reached. */
  readonly end: ListEnd;
}

/** Judges every held lease by one look: what its thread did, and the lease once more at that moment. Only reads. */
export async function pulse(
  given: InspectContext,
  { filter, onProgress }: Pick<ListRequest, 'filter' | 'onProgress'>,
): Promise<Pulse> {
  const { evidence } = given.backend;
  const backend = evidence ? { ...given.backend, evidence: new RefusedOnce(evidence) } : given.backend;
  const context = { ...given, backend };
  const listing = new Listing();
  const inspections = await mapAtOnce(
    listing.leases(
      listLeases(context, {
        filter,
        threadTtlMs: context.settings.ttlMs,
        ...(onProgress && { onProgress }),
      }),
    ),
    THREADS_AT_ONCE,
    (lease) => judgeListed(context, lease),
  );
  const { end } = listing;
  const error = end.error ?? inspections.map(unreached).find((found) => found !== undefined);
  return { inspections, end: { ...end, ...(error && { complete: false, error }) } };
}

const NONE: Related = { leases: [] };

/** Evidence that is asked for no more once the user turned out not to be permitted: each refusal is logged over there. */
class RefusedOnce implements ThreadEvidence {
  readonly #evidence: ThreadEvidence;
  #refusal: LeaseError | undefined;

  constructor(evidence: ThreadEvidence) {
    this.#evidence = evidence;
  }

  async readThread(threadKey: string, options?: ReadThreadOptions): Promise<ThreadActivity | undefined> {
    if (this.#refusal) throw this.#refusal;
    try {
      return await this.#evidence.readThread(threadKey, options);
    } catch (error) {
      if (isLeaseError(error) && error.code === 'ERR_LEASE_NOT_PERMITTED') this.#refusal = error;
      throw error;
    }
  }
}

/** The leases of a listing, and its end once they are through. */
class Listing {
  #end: ListEnd | undefined;

  get end(): ListEnd {
    if (!this.#end) throw new Error('The listing had no end');
    return this.#end;
  }

  async *leases(events: ReturnType<typeof listLeases>): AsyncGenerator<ListedLease> {
    for await (const event of events) {
      if ('end' in event) this.#end = event.end;
      else yield event.lease;
    }
  }
}

/** Only a thread's lease has more to look at; one whose key is no text cannot be asked about by it. */
async function judgeListed(context: InspectContext, listed: ListedLease): Promise<Inspection> {
  const { health: _, assumedTtlMs: _ttl, parts, ...lease } = listed;
  if (parts.kind !== 'thread') return unread(context, lease, 'no-stream');
  if (lease.keyHex !== undefined) return unread(context, lease, 'unavailable');
  try {
    const { facts, ...read } = await readFacts(context, lease.key);
    const inspection = judged(
      context,
      { ...facts, isPrefixUsed: true },
      { related: NONE, notes: [], ...read },
    );
    return withLastEvent(inspection);
  } catch (error) {
    if (!isLeaseError(error)) throw error;
    return unread(context, lease, 'unavailable', error);
  }
}

/** Of many threads not all events are kept that were read: the last one tells its age. */
function withLastEvent({ facts, ...rest }: Inspection): Inspection {
  const { activity } = facts;
  if (!activity) return { ...rest, facts };
  return { ...rest, facts: { ...facts, activity: { ...activity, events: activity.events.slice(-1) } } };
}

function unread(
  context: InspectContext,
  lease: SeenLease,
  evidence: 'no-stream' | 'unavailable',
  evidenceError?: LeaseError,
): Inspection {
  const { ttlMs } = context.settings;
  const facts = { key: lease.key, lease, evidence, isPrefixUsed: true, ttlMs };
  return judged(context, facts, { related: NONE, notes: [], ...(evidenceError && { evidenceError }) });
}

/** Why a lease's evidence was not reached: another time it may be, so that this is not all there is to see. */
export function unreached({ evidenceError }: Pick<Inspection, 'evidenceError'>): LeaseError | undefined {
  return evidenceError?.code === 'ERR_LEASE_UNREACHABLE' ? evidenceError : undefined;
}
