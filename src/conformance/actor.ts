import type { CallPlan, RecordedCall } from './call.js';
import { CallFailure } from './call-failure.js';
import type { Endpoint } from './endpoint.js';

/** Makes calls of one endpoint, one at a time or several at once, and writes them down. */
export class Actor {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly #record: (calls: readonly RecordedCall[]) => void;

  constructor(name: string, endpoint: Endpoint, record: (calls: readonly RecordedCall[]) => void) {
    this.name = name;
    this.endpoint = endpoint;
    this.#record = record;
  }

  acquire(key: string, owner: string, ttlMs: number): Promise<RecordedCall> {
    return this.call({ method: 'acquireLease', args: [key, owner, ttlMs] });
  }

  read(key: string): Promise<RecordedCall> {
    return this.call({ method: 'getLeaseOwner', args: [key] });
  }

  release(key: string, owner: string): Promise<RecordedCall> {
    return this.call({ method: 'releaseLease', args: [key, owner] });
  }

  renew(key: string, owner: string, ttlMs: number): Promise<RecordedCall> {
    return this.call({ method: 'renewLease', args: [key, owner, ttlMs] });
  }

  transfer(key: string, from: string, to: string, ttlMs: number): Promise<RecordedCall> {
    return this.call({ method: 'transferLease', args: [key, from, to, ttlMs] });
  }

  /** @throws {@link CallFailure} when the provider throws. */
  async call(plan: CallPlan): Promise<RecordedCall> {
    const call = await this.attempt(plan);
    if (call.failure !== undefined) throw new CallFailure(call);
    return call;
  }

  /** Makes a call that may be refused by throwing. */
  async attempt(plan: CallPlan): Promise<RecordedCall> {
    const [call] = await this.endpoint.run([{ client: this.name, steps: [plan] }]);
    if (!call) throw new Error('A call left no record');
    this.#record([call]);
    return call;
  }
}
