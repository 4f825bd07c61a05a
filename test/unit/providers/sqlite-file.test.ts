import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SqliteLeaseOptions, SqliteLeaseProvider } from '../../../src/providers/sqlite/index.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { runSqliteTask } from './sqlite-process.js';
import type { Attempt } from './sqlite-task.js';

describe('the file of the SQLite provider', () => {
  let directory: TempDir;
  let path: string;
  let opened: SqliteLeaseProvider[];

  beforeEach(async () => {
    directory = await makeTempDir();
    path = join(directory.path, 'state', 'mastra-lease', 'leases.db');
    opened = [];
  });
  afterEach(async () => {
    for (const leases of opened) await leases.close();
    await directory.remove();
  });

  function open(options: Partial<SqliteLeaseOptions> = {}): SqliteLeaseProvider {
    const leases = new SqliteLeaseProvider({ path, ...options });
    opened.push(leases);
    return leases;
  }

  it('is opened at the first call, not before', async () => {
    open();
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it.each([0, 0o022, 0o077, 0o777])(
    'is its owner’s alone, and so are its directories, under umask %d',
    async (umask) => {
      const before = process.umask(umask);
      try {
        await open().acquireLease('k', 'a', 60_000);
      } finally {
        process.umask(before);
      }
      const modeOf = (file: string) => statSync(file).mode & 0o777;
      expect([dirname(dirname(path)), dirname(path)].map(modeOf)).toEqual([0o700, 0o700]);
      expect(['', '-wal', '-shm'].map((suffix) => modeOf(path + suffix))).toEqual([0o600, 0o600, 0o600]);
    },
  );

  it('leaves directories that were there as they are', async () => {
    mkdirSync(dirname(dirname(path)), { mode: 0o755 });
    chmodSync(dirname(dirname(path)), 0o755);
    await open().acquireLease('k', 'a', 60_000);
    expect(statSync(dirname(dirname(path))).mode & 0o777).toBe(0o755);
  });

  it('has the name that was given, whatever it looks like', async () => {
    path = join(directory.path, 'file:odd ?mode=memory&x#%20.db');
    await open().acquireLease('k', 'a', 60_000);
    expect(existsSync(path)).toBe(true);
    expect(await open({ access: 'read' }).getLeaseOwner('k')).toBe('a');
  });

  it('is never made by a provider that reads: the missing file is an error that names it', async () => {
    const leases = open({ access: 'read' });
    for (const call of [
      () => leases.readLease('k'),
      () => leases.getLeaseOwner('k'),
      () => leases.listLeases().next(),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: `Found no lease database at ${path}`,
        remedy: expect.stringContaining('acquire a lease'),
      });
    }
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('is seen by a provider that reads as others write it, and refuses its writes', async () => {
    const writer = open();
    await writer.acquireLease('k', 'a', 60_000);
    const reader = open({ access: 'read' });
    expect(await reader.getLeaseOwner('k')).toBe('a');
    await writer.transferLease('k', 'a', 'b', 60_000);
    expect(await reader.getLeaseOwner('k')).toBe('b');
    await expect(reader.releaseLease('k', 'b')).rejects.toMatchObject({ code: 'ERR_LEASE_NOT_PERMITTED' });
    expect(await writer.getLeaseOwner('k')).toBe('b');
  });

  it('can be read after everyone who wrote it is gone', async () => {
    const writer = open();
    await writer.acquireLease('k', 'a', 60_000);
    await writer.close();
    expect(await open({ access: 'read' }).getLeaseOwner('k')).toBe('a');
  });

  describe('when something else is at the path', () => {
    const ACCESSES = ['read', 'write'] as const;

    it.each(ACCESSES)('is refused for %s where it is no database, and left alone', async (access) => {
      await expectForeign(access, () => writeFileSync(path, 'dear diary, '.repeat(1_000)));
    });

    it.each(ACCESSES)(
      'is refused for %s where it is another SQLite database, and left alone',
      async (access) => {
        await expectForeign(access, () => inRawDatabase('CREATE TABLE other (x)'));
      },
    );

    it.each(ACCESSES)('is refused for %s where a later version wrote it, and left alone', async (access) => {
      const writer = open();
      await writer.acquireLease('k', 'a', 60_000);
      await writer.close();
      await expectForeign(access, () =>
        inRawDatabase('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99'),
      );
    });

    it.each(ACCESSES)('is refused for %s where it is damaged', async (access) => {
      const writer = open();
      await writer.acquireLease('k', 'a', 60_000);
      await writer.close();
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xff, 4_096));
      await expect(open({ access }).getLeaseOwner('k')).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: expect.stringContaining(path),
      });
    });

    it.each(ACCESSES)('is refused for %s where it is a directory', async (access) => {
      mkdirSync(path, { recursive: true });
      await expect(open({ access }).getLeaseOwner('k')).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: expect.stringContaining(path),
      });
    });

    it('is refused where it is a link to nowhere, which is not followed', async () => {
      mkdirSync(dirname(path), { recursive: true });
      const target = join(directory.path, 'elsewhere.db');
      symlinkSync(target, path);
      await expect(open().acquireLease('k', 'a', 1_000)).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
      });
      expect(existsSync(target)).toBe(false);
    });

    it('is refused for reading where it is empty, and set up for writing', async () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
      await expect(open({ access: 'read' }).getLeaseOwner('k')).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: expect.stringContaining(path),
      });
      expect(readFileSync(path)).toHaveLength(0);
      expect(await open().acquireLease('k', 'a', 60_000)).toEqual({ acquired: true, owner: 'a' });
      expect(await open({ access: 'read' }).getLeaseOwner('k')).toBe('a');
    });

    async function expectForeign(access: 'read' | 'write', make: () => void): Promise<void> {
      mkdirSync(dirname(path), { recursive: true });
      make();
      const before = readFileSync(path);
      const leases = open({ access });
      const call = access === 'read' ? leases.readLease('k') : leases.acquireLease('k', 'a', 60_000);
      await expect(call).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: expect.stringMatching(/^[^\n]+$/),
      });
      await expect(leases.getLeaseOwner('k')).rejects.toThrow(path);
      await leases.close();
      expect(readFileSync(path).equals(before)).toBe(true);
    }

    function inRawDatabase(sql: string): void {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    }
  });

  describe('when rights are missing', () => {
    it('says which directory cannot be made, and why', async () => {
      writeFileSync(join(directory.path, 'state'), 'a file where a directory should be');
      await expect(open().acquireLease('k', 'a', 60_000)).rejects.toMatchObject({
        code: 'ERR_LEASE_INVALID_CONFIG',
        message: `Expected a directory to write to at ${dirname(path)}, got ENOTDIR`,
        remedy: expect.any(String),
      });
    });

    it('tells a directory that cannot be written from a file that may not be, and never answers "free"', async () => {
      chmodSync(directory.path, 0o777);
      const { stdout } = await runSqliteTask({ task: 'try-unprivileged', directory: directory.path });
      const attempts: Record<string, Attempt> = JSON.parse(stdout);
      const noDirectory = { code: 'ERR_LEASE_INVALID_CONFIG', message: expect.stringContaining('EACCES') };
      const noRight = { code: 'ERR_LEASE_NOT_PERMITTED', message: expect.stringContaining('leases.db') };
      expect(attempts).toEqual({
        'no file, unwritable directory': expect.objectContaining(noDirectory),
        'no directory, unwritable parent': expect.objectContaining(noDirectory),
        'read, unwritable directory': expect.objectContaining(noRight),
        'write, unwritable file': expect.objectContaining(noRight),
        'read, unreadable file': expect.objectContaining(noRight),
        'read, unsearchable directory': expect.objectContaining(noRight),
      });
    });

    it('says that nothing was changed when there is no room left, and goes on answering', async () => {
      mkdirSync(dirname(path), { recursive: true });
      const { stdout } = await runSqliteTask({ task: 'fill', path }, { shell: 'ulimit -f 2000; exec "$@"' });
      const [failure, after]: readonly unknown[] = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(failure).toMatchObject({
        code: 'ERR_LEASE_UNREACHABLE',
        message: expect.stringContaining(path),
      });
      expect(after).toEqual({ answer: 'a' });
    });
  });

  describe('when it is replaced or removed while it is open', () => {
    it('is the one at the path that counts: the lease of the old one is lost', async () => {
      const holder = open();
      await holder.acquireLease('k', 'a', 60_000);
      removeFile();
      await open().acquireLease('k', 'b', 60_000);
      expect(await holder.renewLease('k', 'a', 60_000)).toBe(false);
      expect(await holder.getLeaseOwner('k')).toBe('b');
    });

    it('is an error for a provider that reads, never "free"', async () => {
      await open().acquireLease('k', 'a', 60_000);
      const reader = open({ access: 'read' });
      expect(await reader.getLeaseOwner('k')).toBe('a');
      removeFile();
      await expect(reader.getLeaseOwner('k')).rejects.toMatchObject({ code: 'ERR_LEASE_INVALID_CONFIG' });
    });

    it('makes a listing that is under way incomplete', async () => {
      const leases = open();
      for (let index = 0; index < 1_000; index += 1) await leases.acquireLease(`k${index}`, 'a', 60_000);
      const listing = (async () => {
        let seen = 0;
        for await (const _lease of leases.listLeases()) {
          seen += 1;
          if (seen === 10) removeFile();
        }
      })();
      await expect(listing).rejects.toMatchObject({ code: 'ERR_LEASE_INCOMPLETE' });
    });

    function removeFile(): void {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
  });

  it('is refused as a setting where the path is empty or has a NUL', () => {
    for (const bad of ['', 'a\0b']) {
      expect(() => open({ path: bad })).toThrow(
        expect.objectContaining({ code: 'ERR_LEASE_INVALID_CONFIG' }),
      );
    }
  });
});
