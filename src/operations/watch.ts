import { isLeaseWatcher } from '../lease/detect.js';
import type { SeenLease } from '../lease/inspector.js';
import { type PolledChange, pollLeases } from '../lease/poll-leases.js';
import type { OperationContext } from './context.js';
import { LeaseTracker } from './lease-tracker.js';
import { inspectorOf } from './reporter.js';
import type { WatchEvent } from './watch-event.js';
import { type WatchFilter, WatchFilterer } from './watch-filter.js';
import type { Moment } from './watch-tracked.js';

/** What `watch` needs to know. */
export interface WatchRequest {
  /** Only these keys; without them every lease of the backend. */
  readonly keys?: readonly string[] | undefined;
  readonly filter?: WatchFilter | undefined;
  /** The lease time of the runtime that is looked at, in milliseconds; lateness is inferred from it until more is seen. */
  readonly threadTtlMs: number;
  /** Ends the watch: the iteration then returns. */
  readonly signal: AbortSignal;
}

/**
 * What happens to the leases of a backend: the state, then events, until the signal. Only reads.
 *
 * A backend that is lost, or not there yet, is an event. It throws what waiting does not mend, as long as nothing was
 * seen: `ERR_LEASE_NOT_PERMITTED`, `ERR_LEASE_UNSUPPORTED` without keys on a backend that cannot list.
 */
export async function* watchEvents(
  context: OperationContext,
  { keys, filter = {}, threadTtlMs, signal }: WatchRequest,
): AsyncGenerator<WatchEvent, void, undefined> {
  const { clock } = context;
  const tracker = new LeaseTracker({ threadTtlMs });
  const filterer = new WatchFilterer(filter);
  const now = (): Moment => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() });
  // What still waits for a change when nobody listens any more is to end, not to be waited for.
  const ending = new AbortController();
  const whole = AbortSignal.any([signal, ending.signal]);
  const changes = changesOf(context, keys, whole)[Symbol.asyncIterator]();
  try {
    let next = new Arrival(changes.next());
    while (!signal.aborted) {
      const dueMs = tracker.nextDueMs;
      const isHere = await next.within(dueMs === undefined ? undefined : dueMs - clock.monotonicMs());
      const events: WatchEvent[] = [];
      if (isHere) {
        const { done, value } = await next.promise;
        if (done) return;
        events.push(...tracker.apply(value, now()));
        // While changes wait to be told, it is as late as the last of them says: the next may be the renewal.
        if ('readAtMs' in value) events.push(...tracker.overdue(earlier(now(), value.readAtMs)));
        next = new Arrival(changes.next());
      } else {
        events.push(...tracker.overdue(now()));
      }
      for (const event of events) {
        const passed = filterer.pass(event);
        if (passed) yield passed;
      }
    }
  } finally {
    ending.abort();
    await changes.return?.();
  }
}

function earlier(now: Moment, monotonicMs: number): Moment {
  return { monotonicMs, wallMs: now.wallMs - (now.monotonicMs - monotonicMs) };
}

/** The changes of a backend: as its inspector tells them, else by looking again and again. */
function changesOf(
  context: OperationContext,
  keys: readonly string[] | undefined,
  signal: AbortSignal,
): AsyncIterable<PolledChange<SeenLease>> {
  const { backend, clock } = context;
  const { inspector } = backend;
  if (isLeaseWatcher(inspector)) return inspector.watchLeases({ signal, keys });
  const readLease = (key: string) => backend.readLease(key);
  // The application's own provider is asked about a key, and a listing is compared with it: neither can be pushed.
  if (keys) return pollLeases({ readLease }, { signal, keys, clock });
  const listing = inspectorOf(backend);
  return pollLeases({ readLease, listLeases: (options) => listing.listLeases(options) }, { signal, clock });
}

/** The longest delay that a timer of Node takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Something that will come, and may be waited for several times, for a while each. */
class Arrival<T> {
  readonly promise: Promise<T>;
  #isHere = false;
  #wake: (() => void) | undefined;

  constructor(promise: Promise<T>) {
    this.promise = promise;
    const arrive = () => {
      this.#isHere = true;
      this.#wake?.();
    };
    promise.then(arrive, arrive);
  }

  /** Whether it came, within this many milliseconds. */
  async within(ms: number | undefined): Promise<boolean> {
    if (this.#isHere) return true;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) timer = setTimeout(resolve, Math.min(Math.max(1, Math.ceil(ms)), MAX_TIMER_MS));
    });
    clearTimeout(timer);
    this.#wake = undefined;
    return this.#isHere;
  }
}
