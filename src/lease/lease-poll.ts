import { Bell } from './bell.js';
import { type Clock, systemClock } from './clock.js';
import { Countdown } from './countdown.js';
import { UnsupportedError } from './errors.js';
import type { LeaseChange, ListOptions, SeenLease, WatchOptions } from './inspector.js';
import { hexOfId, leaseId } from './lease-id.js';
import { orAborted } from './or-aborted.js';

/** What can be polled: a lease inspector, or anything that reads one key. */
export interface PolledSource<Seen extends SeenLease> {
  readLease(key: string): Promise<Seen | undefined>;
  listLeases?(options?: ListOptions): AsyncIterable<Seen>;
}

/** A {@link LeaseChange}, of leases as far as they can be seen. */
export type PolledChange<Seen extends SeenLease> =
  | Exclude<LeaseChange, { kind: 'held' }>
  | { readonly kind: 'held'; readonly leases: readonly Seen[]; readonly readAtMs: number };

/** Options of `pollLeases`. */
export interface PollOptions extends WatchOptions {
  /** Milliseconds from one look to the next, 2000 by default. A look that takes long is followed by a longer pause. */
  readonly intervalMs?: number | undefined;
  /** Why it polls where changes could be pushed. */
  readonly why?: string | undefined;
  /** How many commands the server was sent so far. By default each step of a listing and each read counts as one. */
  readonly commandCount?: (() => number) | undefined;
  readonly clock?: Pick<Clock, 'monotonicMs'> | undefined;
}

const DEFAULT_INTERVAL_MS = 2_000;
/** Looking takes the server a fifth of the time at most. */
const LOOK_SHARE = 1 / 5;
const KEYS_AT_ONCE = 50;
const LEASES_PER_CHANGE = 500;
/** Two reads of a lease that was not renewed in between differ by less, in where they put its end. */
const JITTER_MS = 100;

interface Batch<Seen> {
  readonly leases: Seen[];
  readonly readAtMs: number;
}

/** What one look saw: everything that is held. */
interface Look<Seen> {
  readonly batches: readonly Batch<Seen>[];
  readonly endedAtMs: number;
  readonly nextAtMs: number;
  readonly intervalMs: number;
  readonly commandsPerSecond: number;
}

interface Known {
  readonly key: string;
  readonly owner: string;
  readonly ownerHex: string | undefined;
  /** `null`: never; `undefined`: it cannot be told. */
  readonly endsAtMs: number | null | undefined;
}

/** The looks of one watch, and what they showed. */
export class LeasePoll<Seen extends SeenLease> {
  readonly bell = new Bell();
  readonly countdown: Countdown;
  readonly #source: PolledSource<Seen>;
  readonly #signal: AbortSignal;
  readonly #keys: readonly string[] | undefined;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #intervalMs: number;
  readonly #commandCount: () => number;
  #known = new Map<string, Known>();
  #due: string[] = [];
  #asked = 0;
  #startedAtMs = 0;

  constructor(
    source: PolledSource<Seen>,
    { signal, keys, clock = systemClock, intervalMs = DEFAULT_INTERVAL_MS, commandCount }: PollOptions,
  ) {
    this.#source = source;
    this.#signal = signal;
    this.#keys = keys && [...new Set(keys)];
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#commandCount = commandCount ?? (() => this.#asked);
    this.countdown = new Countdown({
      clock,
      onDue: (ids) => {
        this.#due.push(...ids.filter((id) => hexOfId(id) === undefined));
        this.bell.ring();
      },
    });
  }

  /** Looks at everything. */
  async look(): Promise<Look<Seen>> {
    const startedAtMs = this.#clock.monotonicMs();
    this.#startedAtMs = startedAtMs;
    this.#due = [];
    const before = this.#commandCount();
    const batches = await (this.#keys ? this.#readKeys(this.#keys) : this.#list());
    const endedAtMs = this.#clock.monotonicMs();
    const intervalMs = Math.round(Math.max(this.#intervalMs, (endedAtMs - startedAtMs) / LOOK_SHARE));
    const perSecond = ((this.#commandCount() - before) * 1_000) / intervalMs;
    return {
      batches,
      endedAtMs,
      nextAtMs: startedAtMs + intervalMs,
      intervalMs,
      commandsPerSecond: Math.round(perSecond * 100) / 100,
    };
  }

  *snapshot({ batches }: Look<Seen>): Generator<PolledChange<Seen>> {
    this.#known = new Map();
    this.countdown.clear();
    yield { kind: 'snapshot-start' };
    for (const { leases, readAtMs } of batches) {
      for (const lease of leases) this.#learn(lease, readAtMs);
      yield { kind: 'held', leases, readAtMs };
    }
    yield { kind: 'snapshot-end' };
  }

  *differences({ batches, endedAtMs }: Look<Seen>): Generator<PolledChange<Seen>> {
    const gone = new Map(this.#known);
    for (const { leases: seen, readAtMs } of batches) {
      for (const lease of seen) gone.delete(leaseId(lease));
      const leases = seen.filter((lease) => this.#learn(lease, readAtMs));
      if (leases.length > 0) yield { kind: 'held', leases, readAtMs };
    }
    if (gone.size > 0) yield this.#free([...gone.keys()], endedAtMs);
  }

  /** Reads each lease at its end, until it is time for the next look. */
  async *countDown({ nextAtMs }: Look<Seen>): AsyncGenerator<PolledChange<Seen>> {
    while (!this.#signal.aborted) {
      if (this.#due.length > 0) yield* this.#readEnds();
      const leftMs = nextAtMs - this.#clock.monotonicMs();
      if (leftMs <= 0) return;
      if (this.#due.length === 0) await this.bell.heard(leftMs);
    }
  }

  /** Waits until a failed look may be followed by another. */
  async rest(): Promise<void> {
    this.countdown.clear();
    const passedMs = this.#clock.monotonicMs() - this.#startedAtMs;
    await this.bell.heard(Math.max(this.#intervalMs - passedMs, this.#intervalMs / 4));
  }

  async #list(): Promise<readonly Batch<Seen>[]> {
    if (!this.#source.listLeases) {
      throw new UnsupportedError('This backend cannot list its leases', { remedy: 'name the keys to watch' });
    }
    const batches: Batch<Seen>[] = [];
    let batch: Batch<Seen> | undefined;
    let steps = 0;
    const onProgress = () => {
      steps += 1;
      batch = undefined;
    };
    for await (const lease of this.#source.listLeases({ signal: this.#signal, onProgress })) {
      if (!batch || batch.leases.length === LEASES_PER_CHANGE) {
        batch = { leases: [], readAtMs: this.#clock.monotonicMs() };
        batches.push(batch);
      }
      batch.leases.push(lease);
    }
    this.#asked += Math.max(1, steps);
    return batches;
  }

  async #readKeys(keys: readonly string[]): Promise<readonly Batch<Seen>[]> {
    const batches: Batch<Seen>[] = [];
    for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
      const read = await this.#read(keys.slice(from, from + KEYS_AT_ONCE));
      const leases = read.filter((lease) => lease !== undefined);
      if (leases.length > 0) batches.push({ leases, readAtMs: this.#clock.monotonicMs() });
    }
    return batches;
  }

  async *#readEnds(): AsyncGenerator<PolledChange<Seen>> {
    const keys = this.#due.splice(0, KEYS_AT_ONCE);
    const read = await this.#read(keys);
    const readAtMs = this.#clock.monotonicMs();
    const leases = read.filter((lease) => lease !== undefined);
    for (const lease of leases) this.#learn(lease, readAtMs);
    if (leases.length > 0) yield { kind: 'held', leases, readAtMs };
    const free = keys.filter((_, index) => read[index] === undefined);
    if (free.length > 0) yield this.#free(free, readAtMs);
  }

  #read(keys: readonly string[]): Promise<readonly (Seen | undefined)[]> {
    this.#asked += keys.length;
    return orAborted(Promise.all(keys.map((key) => this.#source.readLease(key))), this.#signal);
  }

  /** Notes a lease; whether it is another than was known. */
  #learn(lease: Seen, readAtMs: number): boolean {
    const id = leaseId(lease);
    const { key, owner, ownerHex, remainingMs } = lease;
    const endsAtMs = typeof remainingMs === 'number' ? readAtMs + remainingMs : remainingMs;
    this.countdown.set(id, endsAtMs ?? null);
    const before = this.#known.get(id);
    const isSame =
      before?.owner === owner && before.ownerHex === ownerHex && isSameEnd(before.endsAtMs, endsAtMs);
    if (!isSame) this.#known.set(id, { key, owner, ownerHex, endsAtMs });
    return !isSame;
  }

  #free(ids: readonly string[], readAtMs: number): PolledChange<Seen> {
    const keys = ids.map((id) => this.#known.get(id)?.key ?? id);
    for (const id of ids) {
      this.#known.delete(id);
      this.countdown.delete(id);
    }
    return { kind: 'free', keys, readAtMs };
  }
}

function isSameEnd(before: Known['endsAtMs'], now: Known['endsAtMs']): boolean {
  if (typeof before !== 'number' || typeof now !== 'number') return before === now;
  return Math.abs(now - before) <= JITTER_MS;
}
