import { Buffer } from 'node:buffer';
import { IncompleteListingError, LeaseError } from '../../lease/errors.js';
import type { Lease, ListOptions } from '../../lease/inspector.js';
import { assertPrimary, type RedisClient, type Route } from './client.js';
import { readClusterMasters } from './cluster-masters.js';
import { leaseRecordPrefix, recordPattern } from './keys.js';
import { ListSteps, type Step } from './list-steps.js';
import { decodeKey, decodeOwner, readOwnerAndTtl, remainingFrom, type ServerView } from './replies.js';
import type { ScriptRunner } from './script-runner.js';
import { formatAddress, type RedisAddress } from './target.js';

/** How often a scan of one server may start again because its connection was replaced. */
const MAX_RESTARTS = 3;

/** What a listing has met so far. */
interface Progress {
  readonly seen: Set<string>;
  scannedKeys: number;
  /** The answer that makes the whole listing doubtful: one that came from no proven primary. */
  doubtful?: { readonly view: ServerView; readonly server: string };
}

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
  const prefix = Buffer.from(leaseRecordPrefix(keyPrefix));
  const steps = new ListSteps(client, scripts, recordPattern(prefix.toString()));
  const progress: Progress = { seen: new Set(), scannedKeys: 0 };
  const failures: Failure[] = [];
  const context: Scan = { steps, scripts, prefix, options, progress };

  let first: Step | undefined;
  try {
    first = await steps.next('any', '0');
  } catch (error) {
    throw asListingFailure([{ server: undefined, error }], progress);
  }
  if (first.view.mode !== 'cluster') {
    try {
      yield* scanServer(context, 'any', first);
    } catch (error) {
      rethrowAbort(error, options.signal);
      failures.push({ server: undefined, error });
    }
  } else {
    const before = await readClusterMasters(client);
    for (const server of before.masters) {
      try {
        yield* scanServer(context, { server }, await steps.next({ server }, '0'));
      } catch (error) {
        rethrowAbort(error, options.signal);
        failures.push({ server, error });
      }
    }
    if (before.uncoveredSlots > 0) {
      failures.push({
        server: undefined,
        error: new Error(`${before.uncoveredSlots} slots are served by no master`),
      });
    }
    const after = await readClusterMasters(client);
    if (after.layout !== before.layout) {
      failures.push({ server: undefined, error: new Error('slots moved to another master meanwhile') });
    }
  }
  if (failures.length > 0) throw asListingFailure(failures, progress);
  if (progress.doubtful) assertPrimary(progress.doubtful, 'list');
}

interface Scan {
  readonly steps: ListSteps;
  readonly scripts: ScriptRunner;
  readonly prefix: Buffer;
  readonly options: ListOptions;
  readonly progress: Progress;
}

/** Scans one server to the end. A cursor belongs to the process that gave it: on a new connection it starts again. */
async function* scanServer(scan: Scan, route: Route, first: Step): AsyncGenerator<Lease> {
  const { steps, progress, options } = scan;
  let step = first;
  let restarts = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    if (step.view.role !== 'primary') progress.doubtful = step;
    progress.scannedKeys += step.scannedKeys;
    options.onProgress?.({ scannedKeys: progress.scannedKeys });
    yield* readEntries(scan, step);
    if (step.cursor === '0') return;
    const next = await steps.next(route, step.cursor);
    if (next.connectionId === step.connectionId) {
      step = next;
    } else if (restarts++ < MAX_RESTARTS) {
      step = await steps.next(route, '0');
    } else {
      throw new Error('the connection was lost again and again');
    }
  }
}

/** The leases of one step, without those met before. */
async function* readEntries({ scripts, prefix, progress }: Scan, step: Step): AsyncGenerator<Lease> {
  for (const { record, owner, pttl } of step.entries) {
    // The pattern was escaped; what it matched is checked all the same.
    if (!record.subarray(0, prefix.length).equals(prefix)) continue;
    const key = decodeKey(record.subarray(prefix.length));
    const identity = key.keyHex ?? `:${key.key}`;
    if (progress.seen.has(identity)) continue;
    const lease =
      owner === undefined
        ? await readMoving(scripts, record, key)
        : pttl === -2
          ? undefined
          : { ...key, ...decodeOwner(owner), remainingMs: remainingFrom(pttl) };
    if (lease === undefined) continue;
    progress.seen.add(identity);
    yield lease;
  }
}

/** Reads a lease whose slot is just moving from the server it was found on to another. */
async function readMoving(
  scripts: ScriptRunner,
  record: Buffer,
  key: Pick<Lease, 'key' | 'keyHex'>,
): Promise<Lease | undefined> {
  if (key.keyHex !== undefined) throw new Error('a key that is not UTF-8 is moving between servers');
  const { lease } = await scripts.read(record.toString());
  return readOwnerAndTtl('list', key.key, lease);
}

interface Failure {
  readonly server: RedisAddress | undefined;
  readonly error: unknown;
}

/** A failure before anything was seen is itself; after that, what was seen is only a part. */
function asListingFailure(failures: readonly Failure[], progress: Progress): Error {
  const [first] = failures;
  const isWholeFailure =
    progress.scannedKeys === 0 && failures.every(({ error }) => error instanceof LeaseError);
  if (first && isWholeFailure && first.error instanceof Error) return first.error;
  const reasons = failures.map(({ server, error }) => {
    const reason = error instanceof Error ? error.message : String(error);
    return server === undefined ? reason : `${formatAddress(server)}: ${reason}`;
  });
  return new IncompleteListingError(
    `The listing is incomplete: ${progress.seen.size} leases seen, and then: ${reasons.join('; ')}`,
    {
      remedy: 'try again',
    },
  );
}

function rethrowAbort(error: unknown, signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw error;
}
