import { randomInt, randomUUID } from 'node:crypto';
import { leaseTraitsOf } from '../lease/detect.js';
import type { Clause, Finding } from './clause.js';
import { CLAUSES } from './clauses/index.js';
import type { Endpoint, PlaceSetting } from './endpoint.js';
import { Instances } from './instances.js';
import { CONFORMANCE_LEVELS, type ConformanceLevel } from './levels.js';
import type { ConformanceOptions, ProviderFactory } from './options.js';
import { type Outcome, outcomeOf, outcomeOfThrown } from './outcome.js';
import { giveBack, takeStanding, timeCalls } from './plain-calls.js';
import type { ProcessEndpoint } from './process-endpoint.js';
import type { ClauseReport, ConformanceReport } from './report.js';
import { clausesAtATime, groupsOf } from './schedule.js';
import { scopeOf } from './scope.js';
import type { ClosableInstance, Setting } from './setting.js';
import { startProcesses } from './start-processes.js';
import { DEFAULT_CALL_TIMEOUT_MS, realTime } from './time.js';
import { together } from './together.js';
import { Trial } from './trial.js';

const DEFAULT_CLIENTS = 4;
const DEFAULT_EXPIRY_TOLERANCE_MS = 100;

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
  readonly #running = new Set<Clause>();
  #decidedClauses = 0;
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
      startMs: this.#startMs,
      scratch: this.#scratch,
      roundTripMs: endpoint ? await timeCalls(endpoint, this.#scratch) : 0,
      standing: endpoint && (await takeStanding(endpoint, this.#scratch)),
      endpoints: endpoint ? [endpoint, ...others] : [],
      processes: this.#processes,
      openAnother: () => this.#openClosable(),
      signal: options.signal,
      atomicTransfer: undefined,
      refusesInSteps: false,
    };
  }

  /** The clauses of the run's level, in their order. */
  get clauses(): readonly Clause[] {
    return clausesOf(this.level, this.#options.clauses);
  }

  /** Decides all clauses, those that do not disturb each other at the same time. */
  async decideAll(): Promise<void> {
    for (const group of groupsOf(this.clauses, this.#opened)) await this.#decideTogether(group);
  }

  /**
   * Decides one clause.
   *
   * @throws LeaseError when the backend could not be tested any more, or the signal's reason
   */
  async decide(clause: Clause): Promise<ClauseReport> {
    const report = await this.#reportOn(clause);
    this.#record(report);
    return report;
  }

  /** The reports come in the order of the clauses, whichever is decided first. */
  async #decideTogether(clauses: readonly Clause[]): Promise<void> {
    const queue = [...clauses.entries()];
    const reports: (ClauseReport | undefined)[] = [];
    let recorded = 0;
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [index, clause] = next;
        try {
          reports[index] = await this.#reportOn(clause);
        } catch (error) {
          queue.length = 0;
          throw error;
        }
        for (let report = reports[recorded]; report; report = reports[recorded]) {
          recorded += 1;
          this.#record(report);
        }
      }
    };
    await together(Array.from({ length: clausesAtATime(this.#opened) }, work));
  }

  #record(report: ClauseReport): void {
    this.#reports.push(report);
    this.#options.onClause?.(report);
  }

  async #reportOn(clause: Clause): Promise<ClauseReport> {
    const setting = this.#opened;
    setting.signal?.throwIfAborted();
    const { id, level, sentence, source } = clause;
    const trial = new Trial(setting, id);
    const startMs = performance.now();
    this.#running.add(clause);
    this.#tellProgress();
    let outcome: Outcome;
    try {
      outcome = outcomeOf(await this.#try(clause, trial), trial);
    } catch (error) {
      outcome = await outcomeOfThrown(error, trial);
    } finally {
      await this.#giveBack(trial.keys);
      this.#running.delete(clause);
    }
    this.#decidedClauses += 1;
    this.#tellProgress();
    return { id, level, sentence, source, durationMs: performance.now() - startMs, ...outcome };
  }

  #tellProgress(): void {
    const { onProgress } = this.#options;
    if (!onProgress) return;
    const running = Array.from(this.#running, ({ id, sentence }) => ({ id, sentence }));
    onProgress({ decidedClauses: this.#decidedClauses, clauses: this.clauses.length, running });
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
    if (standing) await this.#giveBack([standing.key]);
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

  async #giveBack(keys: readonly string[]): Promise<void> {
    const [endpoint] = this.#opened.endpoints;
    if (endpoint) await giveBack(endpoint, keys);
  }

  /** The last clause may have the instance that all others have used. */
  async #openClosable(): Promise<ClosableInstance | undefined> {
    const isLast = this.#reports.length === this.clauses.length - 1;
    const instance = await this.#instances.openClosable(isLast);
    const standing = this.#setting?.standing;
    if (instance?.isShared && instance.close && standing) await this.#giveBack([standing.key]);
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
    await startProcesses(startProcess, this.#place.nowMs, this.#processes);
    return [...another, ...this.#processes];
  }
}

/** The clauses of a level and those before it, or of these those that are named. */
export function clausesOf(level: ConformanceLevel, named?: readonly string[]): readonly Clause[] {
  const depth = CONFORMANCE_LEVELS.indexOf(level);
  return CLAUSES.filter(
    (clause) =>
      CONFORMANCE_LEVELS.indexOf(clause.level) <= depth && (named === undefined || named.includes(clause.id)),
  );
}
