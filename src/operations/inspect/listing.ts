import { isLeaseError, type LeaseError } from '../../lease/errors.js';
import type { Lease, LeaseInspector, ListOptions } from '../../lease/inspector.js';
import type { OperationContext } from '../context.js';
import { inspectorOf } from '../reporter.js';

/** The leases of a backend as far as there was time to look at them. */
export interface Survey {
  readonly leases: readonly Lease[];
  readonly isWhole: boolean;
  /** Why they could not be listed. */
  readonly error?: LeaseError;
}

/** How long a survey goes on, in milliseconds: what it adds to an answer is not worth a longer wait. */
const SURVEY_MS = 1_000;

/** One listing for all the keys of a command: a whole one where a thread has to be found, else one that takes its time. */
export class SharedListing implements LeaseInspector {
  readonly #context: OperationContext;
  #whole: Promise<readonly Lease[]> | undefined;
  #survey: Promise<Survey> | undefined;

  constructor(context: OperationContext) {
    this.#context = context;
  }

  readLease(key: string): Promise<Lease | undefined> {
    return inspectorOf(this.#context.backend).readLease(key);
  }

  async *listLeases(options?: ListOptions): AsyncGenerator<Lease> {
    this.#whole ??= this.#list(options);
    yield* await this.#whole;
  }

  /** What is leased, for what is good to know and not needed: what goes wrong is told, not thrown. */
  survey(): Promise<Survey> {
    this.#survey ??= this.#look();
    return this.#survey;
  }

  async #list(options: ListOptions | undefined, leases: Lease[] = []): Promise<readonly Lease[]> {
    for await (const lease of inspectorOf(this.#context.backend).listLeases(options)) leases.push(lease);
    return leases;
  }

  async #look(): Promise<Survey> {
    const leases: Lease[] = [];
    const { signal } = this.#context;
    const isOver = AbortSignal.timeout(SURVEY_MS);
    const whole = this.#whole;
    try {
      if (whole !== undefined) return { leases: await whole, isWhole: true };
      await this.#list({ signal: signal ? AbortSignal.any([signal, isOver]) : isOver }, leases);
      return { leases, isWhole: true };
    } catch (error) {
      if (isLeaseError(error)) return { leases, isWhole: false, error };
      if (!isOver.aborted || error !== isOver.reason) throw error;
      return { leases, isWhole: false };
    }
  }
}
