import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SqliteLeaseOptions, SqliteLeaseProvider } from '../../../src/providers/sqlite/index.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

describe('the rows of the SQLite provider', () => {
  let directory: TempDir;
  let path: string;
  let nowMs: number;
  let opened: SqliteLeaseProvider[];

  beforeEach(async () => {
    directory = await makeTempDir();
    path = join(directory.path, 'leases.db');
    nowMs = 1_800_000_000_000;
    opened = [];
  });
  afterEach(async () => {
    for (const leases of opened) await leases.close();
    await directory.remove();
  });

  function open(options: Partial<SqliteLeaseOptions> = {}): SqliteLeaseProvider {
    const leases = new SqliteLeaseProvider({ path, clock: { wallMs: () => nowMs }, ...options });
    opened.push(leases);
    return leases;
  }

  function countRows(): unknown {
    const database = new DatabaseSync(path, { readOnly: true });
    const row = database.prepare('SELECT count(*) AS count FROM leases').get();
    database.close();
    return row?.count;
  }

  it('keep a NUL in keys and owners, on disk too', async () => {
    await open().acquireLease('user\0t-1', 'run\0x', 1_000);
    const database = new DatabaseSync(path, { readOnly: true });
    const row = database.prepare('SELECT hex(key) AS key, hex(owner) AS owner FROM leases').get();
    database.close();
    expect({ ...row }).toEqual({
      key: Buffer.from('user\0t-1').toString('hex').toUpperCase(),
      owner: Buffer.from('run\0x').toString('hex').toUpperCase(),
    });
    expect(await open().readLease('user\0t-1')).toEqual({
      key: 'user\0t-1',
      owner: 'run\0x',
      remainingMs: 1_000,
    });
  });

  it('are held until the very millisecond of their end', async () => {
    const leases = open();
    await leases.acquireLease('k', 'a', 1_000);
    nowMs += 999.9;
    expect(await leases.readLease('k')).toEqual({ key: 'k', owner: 'a', remainingMs: 1 });
    nowMs = Math.ceil(nowMs);
    expect(await leases.readLease('k')).toBeUndefined();
  });

  it('are swept by the first write of a connection when they are over', async () => {
    const leases = open();
    for (let index = 0; index < 300; index += 1) await leases.acquireLease(`k${index}`, 'a', 1_000);
    await leases.releaseLease('k0', 'a');
    await leases.acquireLease('long', 'a', 60_000);
    nowMs += 1_000;
    expect(countRows()).toBe(301);
    await open().acquireLease('next', 'a', 1_000);
    expect(countRows()).toBe(2);
  });

  it('are swept now and then by a connection that goes on writing', async () => {
    const leases = open();
    for (let index = 0; index < 2_000; index += 1) {
      await leases.acquireLease(`k${index}`, 'a', 10);
      nowMs += 1;
    }
    expect(countRows()).toBeLessThan(300);
  });

  it('are never swept by reading', async () => {
    const leases = open();
    for (let index = 0; index < 10; index += 1) await leases.acquireLease(`k${index}`, 'a', 1_000);
    nowMs += 5_000;
    for (const reader of [open({ access: 'read' }), open()]) {
      expect(await reader.getLeaseOwner('k1')).toBeUndefined();
      expect(await reader.listLeases().next()).toEqual({ done: true, value: undefined });
    }
    expect(countRows()).toBe(10);
  });

  it('that are no UTF-8 are listed, marked in hex', async () => {
    const leases = open();
    await leases.acquireLease('plain', 'a', 1_000);
    const database = new DatabaseSync(path);
    database.exec(`INSERT INTO leases (key, owner, expires_at, renewals, write_id)
      VALUES (x'ff00', x'61', ${nowMs + 1_000}, 0, x''), (x'6b', x'c328', ${nowMs + 1_000}, 0, x'')`);
    database.close();
    const listed = [];
    for await (const lease of leases.listLeases()) listed.push(lease);
    expect(listed).toHaveLength(3);
    expect(listed).toEqual(
      expect.arrayContaining([
        { key: 'plain', owner: 'a', remainingMs: 1_000 },
        { key: '\ufffd\0', keyHex: 'ff00', owner: 'a', remainingMs: 1_000 },
        { key: 'k', owner: '\ufffd(', ownerHex: 'c328', remainingMs: 1_000 },
      ]),
    );
    expect(await leases.readLease('k')).toMatchObject({ ownerHex: 'c328' });
    // What is shown is not what is stored: it must not pass for the owner.
    expect(await leases.renewLease('k', '\ufffd(', 1_000)).toBe(false);
  });

  it('are listed as they are when they are yielded, however slow the consumer', async () => {
    const leases = open();
    for (const key of ['a', 'b', 'c', 'd']) await leases.acquireLease(key, 'x', 1_000);
    const listed = [];
    for await (const lease of leases.listLeases()) {
      listed.push(lease);
      if (lease.key !== 'a') continue;
      nowMs += 400;
      await leases.renewLease('c', 'x', 5_000);
      await leases.releaseLease('d', 'x');
      nowMs += 600;
    }
    expect(listed).toEqual([
      { key: 'a', owner: 'x', remainingMs: 1_000 },
      { key: 'c', owner: 'x', remainingMs: 4_400 },
    ]);
  });

  it('end a listing that is under way when the provider is closed', async () => {
    const leases = open();
    for (const key of ['a', 'b', 'c']) await leases.acquireLease(key, 'x', 1_000);
    const listing = (async () => {
      for await (const _lease of leases.listLeases()) await leases.close();
    })();
    await expect(listing).rejects.toMatchObject({ code: 'ERR_LEASE_CLOSED' });
  });
});
