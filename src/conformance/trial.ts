import { orAborted } from '../lease/or-aborted.js';
import { Actor } from './actor.js';
import type { RecordedCall } from './call.js';
import { CallFailure } from './call-failure.js';
import type { ClientPlan, Endpoint } from './endpoint.js';
import type { Setting } from './setting.js';
import { realTime } from './time.js';

/** What trying one clause works with: scratch keys, who makes the calls, and what was called so far. */
export class Trial {
  readonly setting: Setting;
  readonly #clauseId: string;
  readonly #calls: RecordedCall[] = [];
  readonly #keys: string[] = [];

  constructor(setting: Setting, clauseId: string) {
    this.setting = setting;
    this.#clauseId = clauseId;
  }

  /** The first instance. */
  get one(): Actor {
    return this.#actor(0);
  }

  /** Another instance of the same leases, where there is one; else the first again. */
  get two(): Actor {
    return this.#actor(1);
  }

  /** So many actors, over as many instances and processes as there are. */
  actors(count: number): readonly Actor[] {
    return Array.from({ length: count }, (_, index) => this.#actor(index));
  }

  /** Someone who acts at an endpoint; without a name of its own it is called after it. */
  actorOn(endpoint: Endpoint, name?: string): Actor {
    const there = name === undefined || endpoint.isElsewhere ? name : `${name} at ${endpoint.name}`;
    return new Actor(there ?? endpoint.name, endpoint, (calls) => this.record(calls));
  }

  /** A key that nobody else uses; whatever is left at it is released when the trial is over. */
  key(suffix = ''): string {
    const key = `${this.setting.scratch}:${this.#clauseId}:${this.#keys.length + 1}${suffix}`;
    this.#keys.push(key);
    return key;
  }

  /** A key whose name is made elsewhere; it must contain the scratch name of the run. */
  adopt(key: string): string {
    if (!key.includes(this.setting.scratch)) throw new Error('A scratch key has to contain the scratch name');
    this.#keys.push(key);
    return key;
  }

  get keys(): readonly string[] {
    return this.#keys;
  }

  /** Everything that was called, in the order in which it began. */
  get calls(): readonly RecordedCall[] {
    return this.#calls.toSorted((a, b) => a.startMs - b.startMs || a.startOrder - b.startOrder);
  }

  record(calls: readonly RecordedCall[]): void {
    this.#calls.push(...calls);
  }

  /**
   * Runs clients on an endpoint at the same time, and answers their calls without writing them down.
   *
   * @throws {@link CallFailure} when one of them was not answered.
   */
  async run(endpoint: Endpoint, clients: readonly ClientPlan[]): Promise<readonly RecordedCall[]> {
    return answered(await endpoint.run(clients));
  }

  get nowMs(): number {
    return realTime.nowMs();
  }

  async sleepUntil(atMs: number): Promise<void> {
    const { signal } = this.setting;
    const sleeping = realTime.sleep(atMs - this.nowMs);
    await (signal ? orAborted(sleeping, signal) : sleeping);
  }

  #actor(index: number): Actor {
    const { endpoints } = this.setting;
    const endpoint = endpoints[index % endpoints.length];
    if (!endpoint) throw new Error('A run has at least one instance');
    return this.actorOn(endpoint);
  }
}

/** @throws {@link CallFailure} when one of them was not answered. */
export function answered(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const failed = calls.find(({ failure }) => failure !== undefined);
  if (failed) throw new CallFailure(failed);
  return calls;
}
