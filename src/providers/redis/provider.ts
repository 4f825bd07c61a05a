import { InvalidConfigError, OutcomeUnknownError } from '../../lease/errors.js';
import type { ReadThreadOptions, ThreadActivity, ThreadEvidence } from '../../lease/evidence.js';
import type {
  Lease,
  LeaseChange,
  LeaseInspector,
  LeaseReport,
  LeaseWatcher,
  ListOptions,
  WatchOptions,
} from '../../lease/inspector.js';
import { assertKey, assertOwner } from '../../lease/key.js';
import type { LeaseTraits } from '../../lease/provider.js';
import { ReportedLeases } from '../../lease/reported-leases.js';
import { assertTtlMs } from '../../lease/ttl.js';
import { assertPrimary, replyOf } from './call-answer.js';
import { type CallBudget, type ClientOptions, RedisClient } from './client.js';
import { assertTlsOptions, type RedisTlsOptions } from './connect-settings.js';
import { DEFAULT_KEY_PREFIX, leaseRecordPrefix } from './keys.js';
import { listLeases } from './listing.js';
import { hasChanged, readOwner, readOwnerAndTtl, readReport, type ServerView } from './replies.js';
import { connectedToReplica } from './reply-failure.js';
import { type Script, ScriptRunner } from './script-runner.js';
import * as scripts from './scripts.generated.js';
import { type RedisServerFacts, readServerFacts } from './server-facts.js';
import { parseRedisUrl } from './target.js';
import { readThread } from './thread-stream.js';
import type { WatchHost } from './watch/watch-leases.js';

/** How to reach Redis or Valkey, and under which names the leases live there. */
export interface RedisLeaseOptions {
  /**
   * `redis://host:6379/0`, `rediss://…` (TLS), `valkey://…`, `redis+unix:///path?db=0`, `redis+cluster://h1,h2` or
   * `redis+sentinel://h1,h2/master`, with `user:password@` before the hosts where needed.
   */
  readonly url: string;
  /** The prefix that the application's pubsub uses. Default `mastra:topic`, as Mastra's. */
  readonly keyPrefix?: string | undefined;
  /** Overrides the URL's user name. */
  readonly username?: string | undefined;
  /** Overrides the URL's password; a function is asked at each connect (short-lived tokens). */
  readonly password?: string | (() => string | Promise<string>) | undefined;
  readonly tls?: RedisTlsOptions | undefined;
  /** Milliseconds that each call may take, connecting included. Default 5000. */
  readonly timeoutMs?: number | CallBudget | undefined;
  /**
   * `kept` (default): the connection stays, scripts go by their hash, and Sentinel is watched for a failover.
   * `one-shot`: as few commands as possible, for a process that asks and ends: behind Sentinels nothing tells it of a
   * failover, and it would go on writing to a primary that was replaced.
   */
  readonly connection?: 'kept' | 'one-shot' | undefined;
}

/**
 * Leases in Redis or Valkey, in exactly the record that Mastra's `RedisStreamsPubSub` writes: a plain string, the
 * owner, with a TTL, at `<keyPrefix>:lease:<key>`. Both see and move each other's leases.
 *
 * Guarantee: each verb is one atomic script on the primary, so two owners never both win. Non-guarantee: a failover
 * that loses the last writes loses leases with them, and nothing stops an owner that does not notice.
 *
 * No write is ever sent twice by itself: when its answer is lost, the call rejects with `ERR_LEASE_OUTCOME_UNKNOWN`.
 *
 * @example
 * ```ts
 * import { RedisLeaseProvider } from 'mastra-lease/redis';
 *
 * const provider = new RedisLeaseProvider({ url: 'redis://127.0.0.1:6379/0' });
 * await provider.acquireLease('deploy', 'job-1', 15_000); // => { acquired: true, owner: 'job-1' }
 * await provider.acquireLease('deploy', 'job-2', 15_000); // => { acquired: false, owner: 'job-1' }
 * await provider.transferLease('deploy', 'job-1', 'job-2', 15_000); // => true
 * await provider.close();
 * ```
 */
export class RedisLeaseProvider
  extends ReportedLeases
  implements LeaseInspector, LeaseWatcher, ThreadEvidence
{
  readonly leaseTraits: LeaseTraits = { atomicTransfer: true, scope: 'network' };
  /** The URL without user info: safe to print. */
  readonly name: string;
  readonly keyPrefix: string;
  readonly database: number;
  readonly #client: RedisClient;
  readonly #scripts: ScriptRunner;
  readonly #recordPrefix: string;
  readonly #watched: WatchHost;
  readonly #closing = new AbortController();
  #watchedView: ServerView | undefined;

  /** @throws `ERR_LEASE_INVALID_CONFIG` when the URL cannot be used. Connects at the first call, not before. */
  constructor(options: RedisLeaseOptions) {
    super();
    const target = parseRedisUrl(options.url);
    const kept = options.connection !== 'one-shot';
    const { timeoutMs = 5000 } = options;
    if (options.tls) assertTlsOptions(options.tls, target.tls);
    this.name = target.name;
    this.database = target.database;
    this.keyPrefix = options.keyPrefix ?? DEFAULT_KEY_PREFIX;
    if (!this.keyPrefix.isWellFormed()) {
      throw new InvalidConfigError('The key prefix has half of a surrogate pair, which UTF-8 cannot store');
    }
    this.#recordPrefix = leaseRecordPrefix(this.keyPrefix);
    const clientOptions: ClientOptions = {
      kept,
      budget: typeof timeoutMs === 'function' ? timeoutMs : () => timeoutMs,
      tls: target.tls ? { ...options.tls } : undefined,
      login: {
        username: options.username ?? target.username,
        password: options.password ?? target.password,
        database: target.database,
      },
    };
    this.#client = new RedisClient(target, clientOptions);
    this.#watched = {
      target,
      options: clientOptions,
      keyPrefix: this.keyPrefix,
      onView: (view) => {
        this.#watchedView = view;
      },
      closing: this.#closing.signal,
    };
    this.#scripts = new ScriptRunner(this.#client, kept);
  }

  /** What the server that answered last said of itself; `undefined` before the first answer. */
  get server(): ServerView | undefined {
    return this.#client.view ?? this.#watchedView;
  }

  override async getLeaseOwner(key: string): Promise<string | undefined> {
    const record = this.#record(key);
    const answer = await this.#client.call(
      { name: 'read', kind: 'read', commands: [['get', record]] },
      { record },
    );
    const owner = readOwner('GET', replyOf(answer, 'read'));
    if (owner === undefined) assertPrimary(answer, 'read');
    return owner;
  }

  async tryAcquire(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    return this.#change('acquire', scripts.acquire, key, [assertOwner(owner), String(assertTtlMs(ttlMs))]);
  }

  async tryRelease(key: string, owner: string): Promise<LeaseReport> {
    return this.#change('release', scripts.release, key, [assertOwner(owner)]);
  }

  async tryRenew(key: string, owner: string, ttlMs: number): Promise<LeaseReport> {
    return this.#change('renew', scripts.renew, key, [assertOwner(owner), String(assertTtlMs(ttlMs))]);
  }

  async tryTransfer(key: string, fromOwner: string, toOwner: string, ttlMs: number): Promise<LeaseReport> {
    const owners = [assertOwner(fromOwner), assertOwner(toOwner)];
    return this.#change('transfer', scripts.transfer, key, [...owners, String(assertTtlMs(ttlMs))]);
  }

  async readLease(key: string): Promise<Lease | undefined> {
    const record = this.#record(key);
    const answer = await this.#scripts.read(record);
    const lease = readOwnerAndTtl('read', key, answer.lease);
    if (lease === undefined) assertPrimary(answer, 'read');
    return lease;
  }

  listLeases(options: ListOptions = {}): AsyncIterable<Lease> {
    return listLeases(this.#client, this.#scripts, this.keyPrefix, options);
  }

  /**
   * The servers tell what changes (client tracking), on two connections of the watch's own to each; where they do not,
   * it looks every two seconds. While nothing changes it costs a heartbeat every five seconds.
   */
  async *watchLeases(options: WatchOptions): AsyncGenerator<LeaseChange, void, undefined> {
    // Only now: a command that asks once loads what it needs.
    const { watchLeases } = await import('./watch/watch-leases.js');
    yield* watchLeases(this.#watched, options);
  }

  /**
   * What the thread's event stream says, from the newest event back: two or three round trips, one where `maxEvents` is 16
   * or less. Writes nothing; needs `+xrevrange`, and tells more with `+xlen +xinfo +memory|usage +time`.
   */
  readThread(threadKey: string, options: ReadThreadOptions = {}): Promise<ThreadActivity | undefined> {
    return readThread(this.#client, this.keyPrefix, threadKey, options);
  }

  /** What the server tells of itself, for diagnosis. Writes nothing; what it refuses to tell is `refused`. */
  readServerFacts(): Promise<RedisServerFacts> {
    return readServerFacts(this.#client, this.keyPrefix);
  }

  /** Closes every connection. Calls made afterwards reject with `ERR_LEASE_CLOSED`, never as if the key were free. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#client.close();
  }

  #record(key: string): string {
    return this.#recordPrefix + assertKey(key);
  }

  async #change(verb: string, script: Script, key: string, args: readonly string[]): Promise<LeaseReport> {
    const record = this.#record(key);
    const answer = await this.#scripts.run(script, { name: verb, kind: 'write', route: { record }, args });
    const reply = replyOf(answer, verb);
    const report = readReport(verb, reply);
    if (answer.view.role === 'replica') {
      if (!hasChanged(reply)) throw connectedToReplica(verb, answer.server);
      throw new OutcomeUnknownError(
        `${verb} was done on a writable replica, ${answer.server}: its primary knows nothing of it`,
        {
          remedy: 'connect to the primary',
        },
      );
    }
    if (report.holder === undefined && !report.done) assertPrimary(answer, verb);
    return report;
  }
}
