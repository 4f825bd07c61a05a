import { IncompleteListingError, NotPermittedError, UnsupportedError } from '../lease/errors.js';
import type { Lease } from '../lease/inspector.js';
import { parseKey } from '../lease/key.js';
import { LoginError } from '../lease/login-error.js';
import type { OperationContext } from './context.js';
import { inspectorOf } from './reporter.js';

/** The held thread leases by thread id, from one listing that several keys share and nothing starts before it is needed. */
export class ThreadIndex {
  readonly #context: OperationContext;
  #listing: Promise<{ byThread: Map<string, Lease[]>; leaseCount: number }> | undefined;

  constructor(context: OperationContext) {
    this.#context = context;
  }

  /** The held leases of threads with this id, and how many leases of any kind there are. */
  async find(thread: string): Promise<{ matches: readonly Lease[]; leaseCount: number }> {
    this.#listing ??= this.#list();
    const { byThread, leaseCount } = await this.#listing;
    return { matches: byThread.get(thread) ?? [], leaseCount };
  }

  async #list() {
    const byThread = new Map<string, Lease[]>();
    let leaseCount = 0;
    try {
      for await (const lease of inspectorOf(this.#context.backend).listLeases({
        signal: this.#context.signal,
      })) {
        leaseCount += 1;
        const parts = parseKey(lease.key);
        if (parts.kind !== 'thread' || lease.keyHex !== undefined) continue;
        const known = byThread.get(parts.thread);
        if (known) known.push(lease);
        else byThread.set(parts.thread, [lease]);
      }
    } catch (error) {
      if (error instanceof NotPermittedError && !(error instanceof LoginError)) {
        throw new UnsupportedError(
          `The held leases cannot be listed to look for the thread: ${error.message}`,
          {
            remedy: 'give --resource with --thread, or --literal for the key as it is written',
          },
        );
      }
      if (error instanceof IncompleteListingError) {
        throw new IncompleteListingError(`Looking for the thread: ${error.message}`, {
          remedy: error.remedy,
        });
      }
      throw error;
    }
    return { byThread, leaseCount };
  }
}
