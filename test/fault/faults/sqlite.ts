import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteLeaseProvider } from '../../../src/providers/sqlite/index.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { type Fault, type Held, type Scene, SILENT_MS } from '../fault.js';

const HELD_MS = 120_000;
const SIDE_FILES = ['', '-wal', '-shm'];

interface FileScene {
  /** Brings the fault about for one file; what it answers ends it. */
  readonly strike?: (path: string) => Promise<() => void>;
  /** Whether what was there can no longer be read, and nobody can change it either. */
  readonly isUnreadable?: boolean;
  readonly shell?: string;
}

/** A lease database for each cell: what one verb does to it is not what another meets. */
async function onFiles({ strike, isUnreadable, shell }: FileScene): Promise<Scene> {
  const directory = await makeTempDir();
  const pathOf = (key: string) => join(directory.path, `${key}.db`);
  const keys: string[] = [];
  const last = new Map<string, Held | undefined>();
  let heals: (() => void)[] = [];
  let isStruck = false;

  async function withLeases<Result>(
    key: string,
    use: (leases: SqliteLeaseProvider) => Promise<Result>,
    access: 'read' | 'write' = 'write',
  ): Promise<Result> {
    const leases = new SqliteLeaseProvider({ path: pathOf(key), access });
    try {
      return await use(leases);
    } finally {
      await leases.close();
    }
  }

  return {
    truth: {
      hold: (key, owner) =>
        withLeases(key, async (leases) => void (await leases.acquireLease(key, owner, HELD_MS))),
      read: async (key) => {
        if (isStruck && isUnreadable) return last.get(key);
        // A file that is not there has no lease in it; the verb that is about to make one is not helped.
        const lease = await withLeases(key, (leases) => leases.readLease(key), 'read').catch(() => undefined);
        const held = lease && { owner: lease.owner, leftMs: lease.remainingMs ?? HELD_MS };
        last.set(key, held);
        return held;
      },
    },
    way: async (key) => {
      // There is a database, whatever is in it.
      await withLeases(key, (leases) => leases.releaseLease('nobody holds this', 'nobody'));
      keys.push(key);
      return { backend: `sqlite:${pathOf(key)}`, ...(shell !== undefined && { shell }) };
    },
    strike: async () => {
      isStruck = true;
      if (strike) heals = await Promise.all(keys.map((key) => strike(pathOf(key))));
    },
    heal: async () => {
      for (const heal of heals) heal();
    },
    [Symbol.asyncDispose]: () => directory.remove(),
  };
}

export const SQLITE_FAULTS: readonly Fault[] = [
  {
    name: 'SQLite file locked',
    sentence: 'another process is in the middle of a write for longer than the timeout',
    timeoutMs: SILENT_MS,
    arrange: () =>
      onFiles({
        strike: async (path) => {
          const other = new DatabaseSync(path);
          other.exec('BEGIN EXCLUSIVE');
          return () => other.close();
        },
      }),
  },
  {
    name: 'SQLite disk full',
    sentence: 'not one byte more can be written to any file',
    arrange: () => onFiles({ shell: 'ulimit -f 0; exec "$@"' }),
  },
  {
    name: 'SQLite file damaged',
    sentence: 'the file was replaced by one that is no longer a database (a bad restore)',
    arrange: () =>
      onFiles({
        isUnreadable: true,
        strike: async (path) => {
          await writeFile(`${path}.restored`, Buffer.alloc(20_000, 0xff));
          await rename(`${path}.restored`, path);
          return () => {};
        },
      }),
  },
  {
    name: 'SQLite file deleted',
    sentence: 'the file was deleted while it was open: every lease in it is gone',
    losesLeases: true,
    arrange: () =>
      onFiles({
        strike: async (path) => {
          for (const suffix of SIDE_FILES) await rm(path + suffix, { force: true });
          return () => {};
        },
      }),
  },
];
