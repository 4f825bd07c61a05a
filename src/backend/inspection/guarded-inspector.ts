import { IncompleteListingError, isLeaseError } from '../../lease/errors.js';
import type { Lease, LeaseInspector, ListOptions } from '../../lease/inspector.js';
import { callForeign, type Foreigner, unexpectedAnswer } from '../foreign-call.js';
import { isObject } from './values.js';

const LEASE = '{ key: string, owner: string, remainingMs: number | null }';

/** An inspector that an application brought: every step of it has an end, and what it shows has the shape of a lease. */
export class GuardedInspector implements LeaseInspector {
  readonly #inspector: LeaseInspector;
  readonly #foreigner: Foreigner;

  constructor(inspector: LeaseInspector, foreigner: Foreigner) {
    this.#inspector = inspector;
    this.#foreigner = foreigner;
  }

  async readLease(key: string): Promise<Lease | undefined> {
    const answer = await this.#read('readLease', () => this.#inspector.readLease(key));
    if (answer === undefined || isLease(answer)) return answer;
    throw unexpectedAnswer(this.#foreigner, 'readLease', 'read', `${LEASE} or undefined`, answer);
  }

  async *listLeases(options?: ListOptions): AsyncGenerator<Lease> {
    const leases = await this.#iterate(options);
    let seen = 0;
    try {
      for (;;) {
        const step = await this.#read('listLeases', () => leases.next());
        const { done, value }: IteratorResult<unknown> = isStep(step) ? step : { done: false, value: step };
        if (done) return;
        if (!isLease(value)) throw unexpectedAnswer(this.#foreigner, 'listLeases', 'read', LEASE, value);
        options?.signal?.throwIfAborted();
        seen += 1;
        yield value;
      }
    } catch (error) {
      throw seen > 0 ? partial(error) : error;
    } finally {
      // It may be what does not answer: it is told, and not waited for.
      Promise.resolve(leases.return?.(undefined)).catch(() => {});
    }
  }

  async #iterate(options: ListOptions | undefined): Promise<AsyncIterator<unknown>> {
    const answer = await this.#read('listLeases', () => this.#inspector.listLeases(options));
    if (isAsyncIterable(answer)) return answer[Symbol.asyncIterator]();
    throw unexpectedAnswer(this.#foreigner, 'listLeases', 'read', 'an async iterable', answer);
  }

  #read(method: string, call: () => unknown): Promise<unknown> {
    return callForeign(this.#foreigner, method, 'read', call);
  }
}

function partial(error: unknown): unknown {
  if (!isLeaseError(error) || error.code !== 'ERR_LEASE_UNREACHABLE') return error;
  return new IncompleteListingError(error.message, { remedy: error.remedy });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && typeof Reflect.get(value, Symbol.asyncIterator) === 'function';
}

function isStep(value: unknown): value is IteratorResult<unknown> {
  return isObject(value) && ('done' in value || 'value' in value);
}

function isLease(value: unknown): value is Lease {
  if (!isObject(value) || !('key' in value) || !('owner' in value) || !('remainingMs' in value)) return false;
  const { key, owner, remainingMs } = value;
  return (
    typeof key === 'string' &&
    typeof owner === 'string' &&
    (remainingMs === null || (typeof remainingMs === 'number' && Number.isFinite(remainingMs)))
  );
}
