import { instantOf, readRecord, type StreamEntry, type StreamRecord, sizeOf } from './thread-stream-entry.js';

/** Entries of the first page: nothing is known yet of how big they are. */
export const FIRST_PAGE = 16;

/** A page has at most so many times the entries of the one before, and as many as would have about this many bytes. */
const PAGE_GROWTH = 8;
const PAGE_BYTES = 1_048_576;

/** No further page once this much was read, and none that would have more by the server's own account. */
const MAX_BYTES = 8 * PAGE_BYTES;

/** The end of a stream as far as it was read, newest first. Of an entry only what is needed is kept. */
export class StreamTail {
  readonly #records: StreamRecord[] = [];
  readonly #meanBytes: number;
  #read = 0;
  #bytes = 0;
  #lastPage = 0;
  #oldestId = '';
  #isExhausted = false;
  #lastUnreadableId: string | undefined;

  /** `meanBytes`: what an entry takes on the server on average, where it tells. */
  constructor({ meanBytes = 0 }: { readonly meanBytes?: number | undefined }) {
    this.#meanBytes = meanBytes;
  }

  /** How many entries were read, events or not. */
  get read(): number {
    return this.#read;
  }

  /** How many of them are no events. */
  get unreadable(): number {
    return this.#read - this.#records.length;
  }

  /** When the newest of those was added. */
  get lastUnreadableAtMs(): number | undefined {
    return this.#lastUnreadableId === undefined ? undefined : instantOf(this.#lastUnreadableId);
  }

  /** When the oldest entry was added. */
  get readSinceMs(): number | undefined {
    return this.#oldestId === '' ? undefined : instantOf(this.#oldestId);
  }

  /** Whether the stream has nothing older. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Where the next page begins: just before the oldest entry, in the form that every Redis knows. */
  get end(): string {
    const [ms = '0', sequence = '0'] = this.#oldestId.split('-');
    return sequence === '0' ? String(BigInt(ms) - 1n) : `${ms}-${BigInt(sequence) - 1n}`;
  }

  /** Takes the next page, for which so many entries were asked. */
  add(page: readonly StreamEntry[], asked: number): void {
    for (const entry of page) {
      const record = readRecord(entry);
      if (record) this.#records.push(record);
      else this.#lastUnreadableId ??= entry.id;
      this.#bytes += sizeOf(entry);
    }
    this.#read += page.length;
    this.#lastPage = page.length;
    this.#oldestId = page.at(-1)?.id ?? this.#oldestId;
    this.#isExhausted = page.length < asked || this.#oldestId === '0-1';
  }

  /** How many entries to ask for next, to have `maxEvents` at last; 0 when it is enough. */
  wanted(maxEvents: number): number {
    if (this.#isExhausted || this.#bytes >= MAX_BYTES) return 0;
    const next = Math.min(
      this.#lastPage * PAGE_GROWTH,
      (PAGE_BYTES * this.#read) / Math.max(1, this.#bytes),
      MAX_BYTES / Math.max(1, this.#meanBytes),
    );
    return Math.max(0, Math.min(maxEvents - this.#read, Math.max(1, Math.floor(next))));
  }

  /** The events that were read, the oldest first. */
  oldestFirst(): readonly StreamRecord[] {
    return this.#records.toReversed();
  }
}
