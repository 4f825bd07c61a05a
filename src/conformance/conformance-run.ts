import { randomInt, randomUUID } from 'node:crypto';
import { leaseTraitsOf } from '../lease/detect.js';
import { CallFailure } from './call-failure.js';
import { type Clause, type Finding, Violation } from './clause.js';
import { CLAUSES } from './clauses/index.js';
import type { Endpoint, PlaceSetting } from './endpoint.js';
import { makeEvidence } from './evidence.js';
import { Instances } from './instances.js';
import { CONFORMANCE_LEVELS, type ConformanceLevel } from './levels.js';
import type { ConformanceOptions, ProviderFactory } from './options.js';
import { openProcess, type ProcessEndpoint } from './process-endpoint.js';
import type { ClauseReport, ConformanceReport, Evidence } from './report.js';
import { scopeOf } from './scope.js';
import type { ClosableInstance, Setting, StandingLease } from './setting.js';
import { DEFAULT_CALL_TIMEOUT_MS, realTime } from './time.js';
import { LONG_TTL_MS } from './timing.js';
import { Trial } from './trial.js';
import { isOfTheBackend, untestable } from './untestable.js';

/** How many other processes take part where they can be started. */
const PROCESSES = 2;
const DEFAULT_CLIENTS = 4;
const DEFAULT_EXPIRY_TOLERANCE_MS = 100;
/** How often a call is timed to learn how long calls take. */
const TIMED_CALLS = 5;
const STANDING_TTL_MS = 15 * 60_000;
const STANDING_OWNER = 'standing';

/** One run: opens what it needs, decides clauses one at a time, cleans up. */
export class ConformanceRun {
  readonly level: ConformanceLevel;
  readonly #options: ConformanceOptions;
  readonly #instances: Instances;
  readonly #processes: ProcessEndpoint[] = [];
  readonly #place: PlaceSetting;
  readonly #startMs: number;
  readonly #scratch = `mastra-lease-conformance:${randomUUID()}`;
  readonly #seed: number;
  readonly #reports: ClauseReport[] = [];
  #setting: Setting | undefined;
  #scope: ConformanceReport['scope'] | undefined;

  constructor(factory: ProviderFactory, options: ConformanceOptions = {}) {
    const { callTimeoutMs = DEFAULT_CALL_TIMEOUT_MS, level = 'linearizable' } = options;
    this.#options = options;
    this.level = level;
    this.#seed = options.seed ?? randomInt(1, 2 ** 31);
    this.#startMs = realTime.nowMs();
    let order = 0;
    this.#place = {
      ...realTime,
      nextOrder: () => {
        order += 1;
        return order;
      },
      callTimeoutMs,
    };
    this.#instances = new Instances(factory, this.#place);
  }

  /**
   * Makes the first instances, starts the other processes, and makes one lease that is to stand until the end.
   *
   * @throws LeaseError when the backend cannot be tested
   */
  async open(): Promise<void> {
    const options = this.#options;
    const { candidate, endpoint } = await this.#instances.open();
    const traits = leaseTraitsOf(candidate);
    const scope = scopeOf(candidate, traits, options.scope);
    this.#scope = scope;
    const others = endpoint && scope.value !== 'process' ? await this.#openOthers(endpoint) : [];
    this.#setting = {
      scope: scope.value,
      traits,
      candidate,
      requirements: new Set(options.require),
      seed: this.#seed,
      runs: options.runs,
      clients: options.clients ?? DEFAULT_CLIENTS,
      expiryToleranceMs: options.expiryToleranceMs ?? DEFAULT_EXPIRY_TOLERANCE_MS,
      callTimeoutMs: this.#place.callTimeoutMs,
      scratch: this.#scratch,
      roundTripMs: endpoint ? await this.#timeCalls(endpoint) : 0,
      standing: endpoint && (await this.#stand(endpoint)),
      endpoints: endpoint ? [endpoint, ...others] : [],
      processes: this.#processes,
      openAnother: () => this.#openClosable(),
      signal: options.signal,
      atomicTransfer: undefined,
    };
  }

  /** The clauses of the run's level, in their order. */
  get clauses(): readonly Clause[] {
    return clausesOf(this.level, this.#options.clauses);
  }

  /**
   * Decides one clause.
   *
   * @throws LeaseError when the backend could not be tested any more, or the signal's reason
   */
  async decide(clause: Clause): Promise<ClauseReport> {
    const setting = this.#opened;
    setting.signal?.throwIfAborted();
    const { id, level, sentence, source } = clause;
    const trial = new Trial(setting, id);
    const startMs = performance.now();
    let outcome: Outcome;
    try {
      outcome = this.#outcomeOf(await this.#try(clause, trial), trial);
    } catch (error) {
      outcome = await this.#failureOf(error, trial);
    } finally {
      await this.#release(trial.keys);
    }
    const report = { id, level, sentence, source, durationMs: performance.now() - startMs, ...outcome };
    this.#reports.push(report);
    this.#options.onClause?.(report);
    return report;
  }

  /** What was decided so far. */
  report(): ConformanceReport {
    const { traits, atomicTransfer } = this.#opened;
    if (!this.#scope) throw new Error('The run is not open');
    return {
      conforms: this.#reports.every(({ result }) => result !== 'failed'),
      level: this.level,
      require: [...(this.#options.require ?? [])],
      seed: this.#seed,
      scratch: this.#scratch,
      scope: this.#scope,
      traits,
      ...(atomicTransfer && { atomicTransfer }),
      processes: this.#processes.length,
      clauses: this.#reports,
      durationMs: this.#place.nowMs() - this.#startMs,
    };
  }

  /** Releases what was left, ends the other processes and closes the instances. */
  async close(): Promise<void> {
    const standing = this.#setting?.standing;
    if (standing) await this.#release([standing.key]);
    for (const process of this.#processes) process.stop();
    await this.#instances.close();
  }

  get #opened(): Setting {
    if (!this.#setting) throw new Error('The run is not open');
    return this.#setting;
  }

  async #try(clause: Clause, trial: Trial): Promise<Finding> {
    if (this.#opened.endpoints.length === 0 && clause.id !== 'methods') {
      return { result: 'skipped', note: 'without all methods nothing can be tried' };
    }
    const note = this.#missing(clause);
    return note === undefined ? clause.run(trial) : { result: 'skipped', note };
  }

  #missing({ needs }: Clause): string | undefined {
    if (needs === undefined) return undefined;
    if (this.#opened.scope === 'process') return 'the leases live in one process';
    if (needs === 'processes' && this.#processes.length === 0) return 'no other process was started';
    return undefined;
  }

  #outcomeOf({ result, note, expected, calls }: Finding, trial: Trial): Outcome {
    return {
      result,
      ...(note !== undefined && { note }),
      ...(expected !== undefined && { evidence: this.#evidence(expected, calls, trial) }),
    };
  }

  /** What was thrown while a clause was tried: a violation, a call that failed, or nothing of the provider's. */
  async #failureOf(error: unknown, trial: Trial): Promise<Outcome> {
    if (error instanceof Violation) {
      const { expected, calls, note } = error;
      return {
        result: 'failed',
        note: note ?? `expected ${expected}`,
        evidence: this.#evidence(expected, calls, trial),
      };
    }
    if (!(error instanceof CallFailure)) throw error;
    const { call } = error;
    if (isOfTheBackend(call.error)) throw call.error;
    // Still there for others? Then it is this call that the provider does not answer.
    await this.#assertAlive();
    const expected = `${call.method} to answer, and not to throw`;
    return {
      result: 'failed',
      note: `${call.method} threw: ${error.message}`,
      evidence: this.#evidence(expected, trial.calls.includes(call) ? undefined : [call], trial),
    };
  }

  #evidence(expected: string, calls: Finding['calls'], trial: Trial): Evidence {
    const place = { scratch: this.#scratch, runStartMs: this.#startMs };
    return makeEvidence(expected, calls ?? trial.calls, place);
  }

  /** @throws LeaseError when a plain use of a scratch key is not answered */
  async #assertAlive(): Promise<void> {
    const [endpoint] = this.#opened.endpoints;
    if (!endpoint) return;
    const key = `${this.#scratch}:alive:${randomUUID()}`;
    const calls = await endpoint.run([
      {
        client: 'run',
        steps: [
          { method: 'acquireLease', args: [key, 'a', LONG_TTL_MS] },
          { method: 'getLeaseOwner', args: [key] },
          { method: 'releaseLease', args: [key, 'a'] },
        ],
      },
    ]);
    const failed = calls.find(({ failure }) => failure !== undefined);
    if (failed) throw untestable(failed.method, failed.error, failed.failure);
  }

  async #timeCalls(endpoint: Endpoint): Promise<number> {
    const read = { method: 'getLeaseOwner', args: [`${this.#scratch}:nobody`] } as const;
    const calls = await endpoint.run([{ client: 'run', steps: new Array(TIMED_CALLS + 1).fill(read) }]);
    const failed = calls.find(({ failure }) => failure !== undefined);
    if (failed) throw untestable(failed.method, failed.error, failed.failure);
    // The first call also connects.
    const times = calls.slice(1).map(({ startMs, endMs }) => endMs - startMs);
    return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  }

  async #stand(endpoint: Endpoint): Promise<StandingLease> {
    const key = `${this.#scratch}:standing`;
    const [claim] = await endpoint.run([
      {
        client: endpoint.name,
        steps: [{ method: 'acquireLease', args: [key, STANDING_OWNER, STANDING_TTL_MS] }],
      },
    ]);
    if (!claim) throw new Error('A call left no record');
    if (claim.failure !== undefined) throw untestable(claim.method, claim.error, claim.failure);
    return { key, owner: STANDING_OWNER, ttlMs: STANDING_TTL_MS, claim };
  }

  /** The last clause may have the instance that all others have used. */
  async #openClosable(): Promise<ClosableInstance | undefined> {
    const isLast = this.#reports.length === this.clauses.length - 1;
    const instance = await this.#instances.openClosable(isLast);
    const standing = this.#setting?.standing;
    if (instance?.isShared && instance.close && standing) await this.#release([standing.key]);
    return instance;
  }

  /** Another instance, where the factory makes one, and the other processes, where they can be started. */
  async #openOthers(first: Endpoint): Promise<readonly Endpoint[]> {
    const { endpoint } = await this.#instances.open();
    const another = endpoint && endpoint !== first ? [endpoint] : [];
    const { startProcess } = this.#options;
    if (
      !startProcess ||
      clausesOf(this.level, this.#options.clauses).every(({ level }) => level === 'structural')
    ) {
      return another;
    }
    const starting = Array.from({ length: PROCESSES }, async (_, index) => {
      const process = await openProcess(await startProcess(), index + 1, this.#place.nowMs);
      this.#processes.push(process);
    });
    const settled = await Promise.allSettled(starting);
    for (const result of settled) if (result.status === 'rejected') throw result.reason;
    return [...another, ...this.#processes];
  }

  /** Gives back whatever is held at these keys, whoever holds it. */
  async #release(keys: readonly string[]): Promise<void> {
    const [endpoint] = this.#opened.endpoints;
    if (!endpoint) return;
    await Promise.all(
      keys.map(async (key) => {
        const [read] = await endpoint.run([
          { client: 'run', steps: [{ method: 'getLeaseOwner', args: [key] }] },
        ]);
        if (typeof read?.answer !== 'string') return;
        await endpoint.run([
          { client: 'run', steps: [{ method: 'releaseLease', args: [key, read.answer] }] },
        ]);
      }),
    );
  }
}

type Outcome = Pick<ClauseReport, 'result' | 'note' | 'evidence'>;

/** The clauses of a level and those before it, or of these those that are named. */
export function clausesOf(level: ConformanceLevel, named?: readonly string[]): readonly Clause[] {
  const depth = CONFORMANCE_LEVELS.indexOf(level);
  return CLAUSES.filter(
    (clause) =>
      CONFORMANCE_LEVELS.indexOf(clause.level) <= depth && (named === undefined || named.includes(clause.id)),
  );
}
