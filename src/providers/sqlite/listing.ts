import { setImmediate } from 'node:timers/promises';
import { IncompleteListingError, UnreachableError } from '../../lease/errors.js';
import type { Lease, ListOptions } from '../../lease/inspector.js';
import type { LeaseDatabase } from './database.js';
import { bytesIn } from './rows.js';

const ROWS_PER_PAGE = 500;

/**
 * Every lease, in pages by key: bounded memory, and no read transaction stays open while a consumer is slow, which
 * would keep SQLite from ever shrinking its log. `connect` is asked again for each page, since the provider may have
 * been closed or the file replaced meanwhile.
 */
export async function* listLeases(
  connect: () => Promise<LeaseDatabase>,
  { signal, onProgress }: ListOptions,
): AsyncGenerator<Lease, void, undefined> {
  const database = await connect();
  let scannedKeys = 0;
  let after: Uint8Array = new Uint8Array();
  const assertSame = async (): Promise<void> => {
    if ((await connect()) !== database) throw incomplete(scannedKeys, 'the file was replaced');
  };
  try {
    for (;;) {
      signal?.throwIfAborted();
      const page = database.page(after, ROWS_PER_PAGE);
      for (const row of page) {
        scannedKeys += 1;
        const lease = database.refresh(row);
        if (lease) yield lease;
        signal?.throwIfAborted();
        if (!database.isOpen) await assertSame();
      }
      onProgress?.({ scannedKeys });
      const last = page.at(-1);
      if (!last || page.length < ROWS_PER_PAGE) return;
      after = bytesIn(last, 'key');
      // SQLite answers synchronously: let timers and signals have their turn between pages.
      await setImmediate();
      await assertSame();
    }
  } catch (error) {
    throw error instanceof UnreachableError && scannedKeys > 0
      ? incomplete(scannedKeys, error.message)
      : error;
  }
}

function incomplete(scannedKeys: number, why: string): IncompleteListingError {
  return new IncompleteListingError(`The listing ended after ${scannedKeys} rows: ${why}`);
}
