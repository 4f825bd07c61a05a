import { Buffer } from 'node:buffer';
import { systemClock } from '../../lease/clock.js';
import {
  IncompleteListingError,
  LeaseError,
  NotPermittedError,
  UnreachableError,
} from '../../lease/errors.js';
import type { Lease, ListOptions } from '../../lease/inspector.js';
import { leaseId } from '../../lease/lease-id.js';
import { orAborted } from '../../lease/or-aborted.js';
import { assertPrimary } from './call-answer.js';
import type { RedisClient, Route } from './client.js';
import { readClusterMasters, readOwnSlots } from './cluster-masters.js';
import { leaseRecordPrefix, recordPattern } from './keys.js';
import { type Entry, ListSteps, type Step } from './list-steps.js';
import { decodeKey, readOwnerAndTtl } from './replies.js';
import { connectedToReplica } from './reply-failure.js';
import type { ScriptRunner } from './script-runner.js';
import { formatAddress, type ServerAddress } from './target.js';

/** How often a scan of one server may start again because its connection was replaced. */
const MAX_RESTARTS = 3;

const SLOTS_MOVE = 'list: slots are moving (when none should: redis-cli --cluster fix)';

/**
 * Streams every lease under a prefix: from the one server, or from every master of a cluster, each key once. It ends
 * by throwing when anything may have been missed, after having yielded what was seen.
 */
export async function* listLeases(
  client: RedisClient,
  scripts: ScriptRunner,
  keyPrefix: string,
  options: ListOptions,
): AsyncGenerator<Lease> {
  const listing = new Listing(client, scripts, keyPrefix, options);
  const first = await listing.step('any', '0');
  const batches = first.view.mode === 'cluster' ? listing.scanCluster() : listing.scanAlone(first);
  for await (const leases of batches) for (const lease of leases) yield lease;
}

/** An answer, and so a scan, that came from a server of unknown role. */
type Doubt = Pick<Step, 'view' | 'server'>;

/** A step, and when its answer came, on the monotonic clock. */
interface TimedStep extends Step {
  readonly readAtMs: number;
}

interface Failure {
  readonly server?: ServerAddress;
  readonly error: LeaseError;
}

/** How much of a step is made into leases at once: owners may be of any size, and those of a step are many. */
const BYTES_PER_BATCH = 65_536;

/** Scans in batches: a lease that came through every generator on its own would cost more than to read it. */
class Listing {
  readonly #client: RedisClient;
  readonly #scripts: ScriptRunner;
  readonly #steps: ListSteps;
  readonly #prefix: Buffer;
  readonly #options: ListOptions;
  readonly #seen = new Set<string>();
  #scannedKeys = 0;

  constructor(client: RedisClient, scripts: ScriptRunner, keyPrefix: string, options: ListOptions) {
    this.#client = client;
    this.#scripts = scripts;
    this.#prefix = Buffer.from(leaseRecordPrefix(keyPrefix));
    this.#steps = new ListSteps(client, scripts, recordPattern(this.#prefix.toString()));
    this.#options = options;
  }

  async step(route: Route, cursor: string): Promise<TimedStep> {
    const step = await orAborted(this.#steps.next(route, cursor), this.#options.signal);
    return { ...step, readAtMs: systemClock.monotonicMs() };
  }

  async *scanAlone(first: TimedStep): AsyncGenerator<readonly Lease[]> {
    assertNoReplica(first);
    let doubt: Doubt | undefined;
    try {
      doubt = yield* this.#scanServer('any', first);
    } catch (error) {
      throw this.#incomplete([{ error: this.#asFailure(error) }]);
    }
    if (doubt) assertPrimary(doubt, 'list');
  }

  async *scanCluster(): AsyncGenerator<readonly Lease[]> {
    const { signal } = this.#options;
    const { masters, uncoveredSlots } = await orAborted(readClusterMasters(this.#client), signal);
    const failures: Failure[] = [];
    if (uncoveredSlots > 0) {
      const error = new UnreachableError(`list: ${uncoveredSlots} slots are served by no master`);
      failures.push({ error });
    }
    const before = new Map<ServerAddress, string>();
    for (const server of masters) {
      try {
        before.set(server, (await orAborted(readOwnSlots(this.#client, server), signal)).state);
      } catch (error) {
        failures.push({ server, error: this.#asFailure(error) });
      }
    }
    for (const server of before.keys()) {
      try {
        const doubt = yield* this.#scanServer({ server }, await this.step({ server }, '0'));
        if (doubt) assertPrimary(doubt, 'list');
      } catch (error) {
        before.delete(server);
        failures.push({ server, error: this.#asFailure(error) });
      }
    }
    // A key that moved from a master scanned late to one scanned early was seen on neither.
    for (const [server, state] of before) {
      try {
        const after = await orAborted(readOwnSlots(this.#client, server), signal);
        if (after.isMoving || after.state !== state) {
          failures.push({ server, error: new UnreachableError(SLOTS_MOVE) });
        }
      } catch (error) {
        failures.push({ server, error: this.#asFailure(error) });
      }
    }
    if (failures.length > 0) throw this.#incomplete(failures);
  }

  /** Scans one server to the end. A cursor belongs to the process that gave it: on a new connection it starts again. */
  async *#scanServer(route: Route, first: TimedStep): AsyncGenerator<readonly Lease[], Doubt | undefined> {
    let step = first;
    let doubt: Doubt | undefined;
    let restarts = 0;
    for (;;) {
      assertNoReplica(step);
      if (step.view.role !== 'primary') doubt ??= step;
      this.#scannedKeys += step.scannedKeys;
      this.#options.onProgress?.({ scannedKeys: this.#scannedKeys, readAtMs: step.readAtMs });
      // The server goes on while this step is read here. A step that fails before its turn is asked for anew.
      let hasFailed = false;
      const following = step.cursor === '0' ? undefined : this.step(route, step.cursor);
      following?.catch(() => {
        hasFailed = true;
      });
      // It is written now, and not when all of this step was taken in one go.
      if (following !== undefined) await new Promise((resolve) => setImmediate(resolve));
      yield* this.#readNew(step.entries);
      this.#options.signal?.throwIfAborted();
      if (!following) return doubt;
      const next = await (hasFailed ? this.step(route, step.cursor) : following);
      if (next.connectionId === step.connectionId) {
        step = next;
        continue;
      }
      restarts += 1;
      if (restarts > MAX_RESTARTS)
        throw new UnreachableError('list: the connection was lost again and again');
      step = await this.step(route, '0');
      doubt = undefined;
    }
  }

  /** The leases of entries, without those that were met before or are none. */
  async *#readNew(entries: readonly Entry[]): AsyncGenerator<readonly Lease[]> {
    let found: Lease[] = [];
    let bytes = 0;
    for (const { record, owner, pttl } of entries) {
      // The pattern was escaped; what it matched is checked all the same.
      if (!record.subarray(0, this.#prefix.length).equals(this.#prefix)) continue;
      const key = decodeKey(record.subarray(this.#prefix.length));
      const id = leaseId(key);
      if (this.#seen.has(id)) continue;
      let read: unknown = [owner, pttl];
      if (owner === undefined) {
        // Its slot is moving: whoever has the key by now is asked, and may not answer.
        yield found;
        found = [];
        read = (await this.#scripts.read(record)).lease;
      }
      const lease = readOwnerAndTtl('list', key.key, read);
      if (lease === undefined) continue;
      this.#seen.add(id);
      found.push({ ...lease, ...key });
      bytes += record.length + (owner?.length ?? 0);
      if (bytes >= BYTES_PER_BATCH) {
        yield found;
        found = [];
        bytes = 0;
      }
    }
    yield found;
  }

  /** What was seen is a part; but who may not look has seen nothing, and is told so. */
  #incomplete(failures: readonly Failure[]): LeaseError {
    const [first] = failures;
    const isForbidden = failures.every(({ error }) => error instanceof NotPermittedError);
    if (first && isForbidden && this.#seen.size === 0) return first.error;
    const reasons = failures.map(({ server, error: { message } }) =>
      server === undefined ? message : `${formatAddress(server)}: ${message}`,
    );
    return new IncompleteListingError(
      `The listing is incomplete: ${this.#seen.size} leases seen, and then: ${reasons.join('; ')}`,
      { remedy: 'try again' },
    );
  }

  /** Being stopped is no failure of a scan, nor is a bug. */
  #asFailure(error: unknown): LeaseError {
    this.#options.signal?.throwIfAborted();
    if (error instanceof LeaseError) return error;
    throw error;
  }
}

/** A replica may be behind: what it lists says nothing about what is missing, nor about what is gone by now. */
function assertNoReplica({ view, server }: Step): void {
  if (view.role === 'replica') throw connectedToReplica('list', server);
}
