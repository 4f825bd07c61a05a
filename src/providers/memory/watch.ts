import { Bell } from '../../lease/bell.js';
import type { Clock } from '../../lease/clock.js';
import { Countdown } from '../../lease/countdown.js';
import { ClosedError } from '../../lease/errors.js';
import type { Lease, LeaseChange, WatchOptions } from '../../lease/inspector.js';

/** The leases that are watched: whoever changes one says so to {@link MemoryWatches}. */
export interface WatchedLeases {
  find(key: string): Lease | undefined;
  keys(): Iterable<string>;
}

interface Watcher {
  readonly changed: Set<string>;
  readonly bell: Bell;
}

/** Who watches the leases of one provider. */
export class MemoryWatches {
  readonly #watchers = new Set<Watcher>();
  #isClosed = false;

  changed(key: string): void {
    for (const { changed, bell } of this.#watchers) {
      changed.add(key);
      bell.ring();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { bell } of this.#watchers) bell.ring();
  }

  async *watch(
    leases: WatchedLeases,
    { signal, keys }: WatchOptions,
    clock: Pick<Clock, 'monotonicMs'>,
  ): AsyncGenerator<LeaseChange, void, undefined> {
    const bell = new Bell();
    const changed = new Set<string>();
    const onDue = (due: readonly string[]) => {
      for (const key of due) changed.add(key);
      bell.ring();
    };
    const countdown = new Countdown({ clock, onDue });
    const only = keys && new Set(keys);
    const watcher = { changed, bell };
    this.#watchers.add(watcher);
    signal.addEventListener('abort', bell.ring);
    /** What changed of these keys, since each was told last. */
    const look = function* (at: Iterable<string>): Generator<LeaseChange> {
      const held: Lease[] = [];
      const free: string[] = [];
      const readAtMs = clock.monotonicMs();
      for (const key of at) {
        const lease = only && !only.has(key) ? undefined : leases.find(key);
        if (lease) {
          countdown.set(key, lease.remainingMs === null ? null : readAtMs + lease.remainingMs);
          held.push(lease);
        } else if (countdown.delete(key)) {
          free.push(key);
        }
      }
      if (held.length > 0) yield { kind: 'held', leases: held, readAtMs };
      if (free.length > 0) yield { kind: 'free', keys: free, readAtMs };
    };
    try {
      this.#assertOpen();
      if (signal.aborted) return;
      yield { kind: 'snapshot-start' };
      yield* look([...leases.keys()]);
      yield { kind: 'snapshot-end' };
      yield { kind: 'live', how: 'pushed', commandsPerSecond: 0 };
      while (!signal.aborted) {
        this.#assertOpen();
        const at = [...changed];
        changed.clear();
        if (at.length > 0) yield* look(at);
        else await bell.heard();
      }
    } finally {
      this.#watchers.delete(watcher);
      signal.removeEventListener('abort', bell.ring);
      countdown.clear();
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new ClosedError('The lease provider was closed');
  }
}
