import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteLeaseProvider } from '../../../src/providers/sqlite/index.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { startSqliteTask } from './sqlite-process.js';

describe('a lock on the SQLite provider’s file', () => {
  let directory: TempDir;
  let path: string;
  let leases: SqliteLeaseProvider;
  let busyTimeoutMs: number;
  let asked: number;

  beforeEach(async () => {
    directory = await makeTempDir();
    path = join(directory.path, 'leases.db');
    busyTimeoutMs = 10_000;
    asked = 0;
    leases = new SqliteLeaseProvider({
      path,
      busyTimeoutMs: () => {
        asked += 1;
        return busyTimeoutMs;
      },
    });
    await leases.acquireLease('k', 'a', 60_000);
  });
  afterEach(async () => {
    await leases.close();
    await directory.remove();
  });

  it('ends each write as unreachable when the wait is over, and nothing was changed', async () => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    busyTimeoutMs = 50;
    for (const call of [
      () => leases.acquireLease('k', 'a', 60_000),
      () => leases.renewLease('k', 'a', 60_000),
      () => leases.transferLease('k', 'a', 'b', 60_000),
      () => leases.releaseLease('k', 'a'),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'ERR_LEASE_UNREACHABLE',
        message: `${path} was locked by another process for 50 ms; nothing was changed`,
      });
    }
    other.close();
    expect(await leases.getLeaseOwner('k')).toBe('a');
  });

  it('is waited for as long as is allowed at that call', async () => {
    const before = asked;
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    busyTimeoutMs = 0;
    await expect(leases.renewLease('k', 'a', 60_000)).rejects.toThrow('for 0 ms');
    busyTimeoutMs = 30;
    await expect(leases.renewLease('k', 'a', 60_000)).rejects.toThrow('for 30 ms');
    other.close();
    expect(asked - before).toBe(2);
  });

  it('does not keep anyone from reading', async () => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    busyTimeoutMs = 0;
    expect(await leases.getLeaseOwner('k')).toBe('a');
    expect((await leases.listLeases().next()).value).toMatchObject({ key: 'k', owner: 'a' });
    other.close();
  });

  it.each(['renew', 'acquire'] as const)(
    'that lasts past the end of a lease does not let a waiting %s revive it',
    async (verb) => {
      const locker = await startSqliteTask({ task: 'lock', path, holdMs: 700 });
      await leases.acquireLease('short', 'a', 300);
      const locked = once(locker, 'message');
      locker.send('lock');
      await locked;
      if (verb === 'renew') {
        expect(await leases.tryRenew('short', 'a', 60_000)).toEqual({ done: false });
        expect(await leases.readLease('short')).toBeUndefined();
      } else {
        expect(await leases.tryAcquire('short', 'a', 60_000)).toMatchObject({ done: true, refreshed: false });
      }
    },
  );
});
