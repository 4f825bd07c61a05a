import { systemClock } from '../../lease/clock.js';
import { Deadline } from '../../lease/deadline.js';
import { TransportError } from './transport-error.js';

/**
 * Tries one address after the other until one works. Each gets a share of the time that is left, so that one which
 * swallows packets leaves some for the others. Rejects with the failure that tells most: what a server said, else how
 * the last one could not be reached.
 */
export async function tryInTurn<Address, Result>(
  addresses: readonly Address[],
  deadline: Deadline,
  attempt: (address: Address, deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    const shareMs = deadline.remainingMs() / (addresses.length - index);
    try {
      return await attempt(address, Deadline.after(shareMs, systemClock));
    } catch (error) {
      if (failure === undefined || failure instanceof TransportError) failure = error;
    }
  }
  throw failure;
}
