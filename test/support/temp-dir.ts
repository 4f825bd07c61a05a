import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempDir extends AsyncDisposable {
  readonly path: string;
  /** Removes it with all that is in it; a second call does nothing. */
  remove(): Promise<void>;
}

/** A new directory of the caller's own, for `await using` or an explicit `remove()`. */
export async function makeTempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'mastra-lease-test-'));
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 });
  return { path, remove, [Symbol.asyncDispose]: remove };
}
