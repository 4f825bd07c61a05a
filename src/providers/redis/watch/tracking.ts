import type { Buffer } from 'node:buffer';
import calculateSlot from 'cluster-key-slot';
import { Bell } from '../../../lease/bell.js';
import { systemClock } from '../../../lease/clock.js';
import { Deadline } from '../../../lease/deadline.js';
import { UnreachableError } from '../../../lease/errors.js';
import { orAborted } from '../../../lease/or-aborted.js';
import type { ClientOptions, RedisClient, Route } from '../client.js';
import { FailoverWatch } from '../failover-watch.js';
import type { ServerView } from '../replies.js';
import { formatAddress, type RedisAddress, type RedisTarget } from '../target.js';
import { because, type ServerFinder } from './find-servers.js';
import type { RecordNames } from './record-names.js';
import { TrackedClient } from './tracked-client.js';
import { type Reading, TrackedServer } from './tracked-server.js';
import { slotsMove } from './tracking-state.js';

const OPEN_MS = 4_000;
const ALL_SLOTS = 16_384;

/** Which servers a watch is about, and how to log in there. */
export interface TrackingTarget {
  readonly target: RedisTarget;
  readonly options: ClientOptions;
  readonly keyPrefix: string;
  readonly names: RecordNames;
  readonly finder: ServerFinder;
  /** What a server says of itself. */
  readonly onView: (view: ServerView) => void;
}

/**
 * All servers that hold leases, each of them telling what changes: the primary, or every master of a cluster. When one
 * of them fails all is over, since what it would have told is missed.
 */
export class Tracking {
  /** Rings when there is something to look at. */
  readonly bell = new Bell();
  readonly #target: TrackingTarget;
  readonly #isWatched: (id: string) => boolean;
  readonly #ending = new AbortController();
  readonly #stop: () => void;
  readonly #signal: AbortSignal;
  readonly #changed = new Set<string>();
  #mayAllHaveChanged = false;
  #servers: readonly TrackedServer[] = [];
  /** By slot; empty outside a cluster. */
  readonly #owners: TrackedServer[] = [];
  #failovers: FailoverWatch | undefined;

  private constructor(target: TrackingTarget, isWatched: (id: string) => boolean, signal: AbortSignal) {
    this.#target = target;
    this.#isWatched = isWatched;
    this.#signal = signal;
    this.#stop = () => this.#end(signal.reason);
    signal.addEventListener('abort', this.#stop);
  }

  /**
   * Finds the servers anew (names and Sentinels are asked again) and has them track.
   *
   * @throws `TrackingRefused`, `TransportError`, `LeaseError`, or the signal's reason.
   */
  static async open(
    target: TrackingTarget,
    isWatched: (id: string) => boolean,
    signal: AbortSignal,
  ): Promise<Tracking> {
    signal.throwIfAborted();
    const tracking = new Tracking(target, isWatched, signal);
    try {
      await orAborted(tracking.#open(), tracking.ended);
      return tracking;
    } catch (error) {
      tracking.close();
      throw error;
    }
  }

  /** Aborted when it is over, with the failure as the reason. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** A client of exactly these servers and connections, for a listing. */
  client(): RedisClient {
    const { target, options } = this.#target;
    return new TrackedClient(target, options, (route) => this.#serverFor(route));
  }

  /** How many commands keep it alive while nothing changes, in a second. */
  get commandsPerSecond(): number {
    const sum = this.#servers.reduce((total, { commandsPerSecond }) => total + commandsPerSecond, 0);
    return Math.round(sum * 100) / 100;
  }

  /** Whether anything may have changed since this was asked last. */
  takeAllChanged(): boolean {
    const mayHave = this.#mayAllHaveChanged;
    this.#mayAllHaveChanged = false;
    return mayHave;
  }

  /** Some of the leases that may have changed since they were read. */
  takeChanged(count: number): readonly string[] {
    const ids: string[] = [];
    for (const id of this.#changed) {
      if (ids.push(id) === count) break;
    }
    for (const id of ids) this.#changed.delete(id);
    return ids;
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Has leases read again that may have changed without being told of. */
  addChanged(ids: readonly string[]): void {
    for (const id of ids) this.#changed.add(id);
    if (ids.length > 0) this.bell.ring();
  }

  async read(
    ids: readonly string[],
    how: { readonly mustProve: (id: string) => boolean; readonly areNamed: boolean },
  ): Promise<readonly Reading[]> {
    const { names } = this.#target;
    const byServer = Map.groupBy(ids, (id) => this.#serverFor({ record: names.recordOf(id) }));
    const readings = await Promise.all([...byServer].map(([server, own]) => server.read(own, how)));
    return readings.flat();
  }

  /** @throws when slots have moved since tracking was turned on. */
  async verifySlots(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.verifySlots()));
  }

  close(): void {
    this.#end(undefined);
  }

  async #open(): Promise<void> {
    const { addresses, isCluster, sentinels } = await this.#target.finder.find(this.ended);
    if (!sentinels) return this.#track(addresses, isCluster);
    const primary = addresses.map(formatAddress).join();
    await this.#track(addresses, false).catch(because(`the primary, ${primary}`));
    this.#failovers = new FailoverWatch(sentinels.via, sentinels.settings, (named) => {
      if (formatAddress(named) === primary) return;
      this.#end(new UnreachableError(`the Sentinels name another primary than ${primary}`));
    });
    // What ended it meanwhile has closed what there was.
    if (this.ended.aborted) this.#failovers.close();
  }

  async #track(addresses: readonly RedisAddress[], isCluster: boolean): Promise<void> {
    const { options, names, onView } = this.#target;
    const trackingOptions = {
      settings: { tls: options.tls, login: options.login, signal: this.ended },
      names,
      isCluster,
      events: {
        onChange: (records: readonly Buffer[] | null) => this.#noteChange(records),
        onFailure: (failure: unknown) => this.#end(failure),
        onView,
      },
    };
    const deadline = Deadline.after(OPEN_MS, systemClock);
    this.#servers = await Promise.all(
      addresses.map(async (address) => {
        const opening = TrackedServer.open(address, trackingOptions, deadline);
        return addresses.length > 1 ? opening.catch(because(formatAddress(address))) : opening;
      }),
    );
    this.ended.throwIfAborted();
    for (const server of this.#servers) {
      server.startBeating();
      if (server.slots?.isMoving) throw slotsMove(server.server);
      for (const [from, to] of server.slots?.ranges ?? []) {
        for (let slot = from; slot <= to; slot += 1) this.#owners[slot] = server;
      }
    }
    const covered = Object.keys(this.#owners).length;
    if (isCluster && covered < ALL_SLOTS) {
      throw new UnreachableError(`${ALL_SLOTS - covered} slots are served by no master`);
    }
  }

  #serverFor(route: Route): TrackedServer {
    let found = this.#servers[0];
    if (typeof route === 'object' && 'server' in route) {
      const address = formatAddress(route.server);
      found = this.#servers.find(({ server }) => server === address);
    } else if (typeof route === 'object' && this.#owners.length > 0) {
      found = this.#owners[calculateSlot(route.record)];
    }
    if (!found) throw new UnreachableError('the masters of the cluster have changed');
    return found;
  }

  #noteChange(records: readonly Buffer[] | null): void {
    if (records === null) {
      this.#mayAllHaveChanged = true;
      this.bell.ring();
      return;
    }
    this.addChanged(
      records.flatMap((record) => {
        const id = this.#target.names.idOf(record);
        return id !== undefined && this.#isWatched(id) ? [id] : [];
      }),
    );
  }

  #end(reason: unknown): void {
    if (this.ended.aborted) return;
    this.#signal.removeEventListener('abort', this.#stop);
    this.#ending.abort(reason);
    for (const server of this.#servers) server.close();
    this.#failovers?.close();
    this.bell.ring();
  }
}
