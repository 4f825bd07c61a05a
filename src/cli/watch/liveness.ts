import type { BackendSource } from '../../lease/backend.js';
import { UnreachableError } from '../../lease/errors.js';
import type { Staleness } from '../../lease/watch-failure.js';
import type { WatchEvent } from '../../operations/watch-event.js';

/** Whether a watch has ever seen its backend, and what kept it from that. */
export class Liveness {
  #hasSeen = false;
  #why: Staleness | undefined;

  /** Passes events on, and notes what they say of the backend. */
  async *note(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent, void, undefined> {
    for await (const event of events) {
      if (event.type === 'snapshot') this.#hasSeen = true;
      else if (event.type === 'backend-down') this.#why = event;
      yield event;
    }
  }

  /**
   * Nothing that happened is not the same as nothing that was seen.
   *
   * @throws `ERR_LEASE_UNREACHABLE` when the backend was not seen in the time that was given
   */
  assertSeen({ backend }: BackendSource, time: string): void {
    if (this.#hasSeen) return;
    const message = `Nothing was seen of ${backend} within ${time}`;
    if (this.#why === undefined) {
      throw new UnreachableError(`${message}: the first look at it was not finished`, {
        remedy: 'give it more time, or see what mastra-lease check says',
      });
    }
    throw new UnreachableError(`${message}: ${this.#why.reason}`, this.#why);
  }
}
