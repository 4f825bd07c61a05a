import { onTestFinished } from 'vitest';
import type { LeaseChange, SeenLease, WatchOptions } from '../../src/lease/inspector.js';
import type { PolledChange } from '../../src/lease/poll-leases.js';
import { type WaitOptions, waitFor } from './wait-for.js';

export type ToldChange = LeaseChange | PolledChange<SeenLease>;

/** What an iteration of changes says, as somebody who follows it sees it. */
export class WatchedView {
  /** Everything that was told, in order. */
  readonly changes: ToldChange[] = [];
  /** The leases that are held, by key, as of now; only what a whole snapshot said replaces them. */
  leases: Map<string, SeenLease> = new Map();
  isLive = false;
  snapshots = 0;
  /** How the iteration ended: `undefined` while it goes on, `returned`, or what it threw. */
  end: unknown;
  /** When each key was told free, on the monotonic clock of this process. */
  readonly freedAtMs: Map<string, number> = new Map();
  readonly #controller = new AbortController();
  readonly #reading: Promise<void>;
  #collecting: Map<string, SeenLease> | undefined;

  private constructor(watch: (options: WatchOptions) => AsyncIterable<ToldChange>, keys?: readonly string[]) {
    const { signal } = this.#controller;
    this.#reading = this.#read(watch({ signal, ...(keys && { keys }) }));
  }

  /** Follows a watch until the test has finished; a concurrent test passes its own `onTestFinished`. */
  static of(
    watch: (options: WatchOptions) => AsyncIterable<ToldChange>,
    { keys, atEnd = onTestFinished }: { keys?: readonly string[]; atEnd?: typeof onTestFinished } = {},
  ): WatchedView {
    const view = new WatchedView(watch, keys);
    atEnd(() => view.stop());
    return view;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get live(): Extract<ToldChange, { kind: 'live' }> | undefined {
    return this.changes.findLast((change) => change.kind === 'live');
  }

  /** Why the view is stale; `undefined` while it is not. */
  get staleFor(): string | undefined {
    const last = this.changes.findLast(({ kind }) => kind === 'stale' || kind === 'live');
    return last?.kind === 'stale' ? last.reason : undefined;
  }

  /** What is held as text: `key=owner`, sorted. */
  get held(): readonly string[] {
    return [...this.leases.values()].map(({ key, owner }) => `${key}=${owner}`).sort();
  }

  /** Aborts the signal, and waits for the iteration to end. */
  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#reading;
  }

  async untilLive(options?: WaitOptions): Promise<void> {
    await this.until(() => this.isLive, { what: 'the view to be live', ...options });
  }

  /** Waits for a condition; ends at once, with what the iteration threw, when it has ended. */
  async until(condition: () => unknown, options: WaitOptions = {}): Promise<void> {
    await waitFor(() => this.end !== undefined || Boolean(condition()), { everyMs: 5, ...options });
    if (!condition()) throw new Error('The watch has ended', { cause: this.end });
  }

  async #read(changes: AsyncIterable<ToldChange>): Promise<void> {
    try {
      for await (const change of changes) this.#apply(change);
      this.end = 'returned';
    } catch (error) {
      this.end = error;
    }
  }

  #apply(change: ToldChange): void {
    this.changes.push(change);
    const leases = this.#collecting ?? this.leases;
    if (change.kind === 'snapshot-start') {
      this.#collecting = new Map();
    } else if (change.kind === 'snapshot-end') {
      this.leases = leases;
      this.#collecting = undefined;
      this.snapshots += 1;
    } else if (change.kind === 'held') {
      for (const lease of change.leases) leases.set(lease.keyHex ?? lease.key, lease);
    } else if (change.kind === 'free') {
      for (const key of change.keys) {
        leases.delete(key);
        this.freedAtMs.set(key, performance.now());
      }
    } else {
      this.isLive = change.kind === 'live';
      if (!this.isLive) this.#collecting = undefined;
    }
  }
}
