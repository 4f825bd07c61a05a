import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type SqliteLeaseOptions, SqliteLeaseProvider } from '../../../src/providers/sqlite/index.js';
import { makeTempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';
import { WatchedView } from '../../support/watched-view.js';

const TTL_MS = 60_000;

let directory: string;
let path: string;

beforeEach(async () => {
  const temp = await makeTempDir();
  onTestFinished(() => temp.remove());
  directory = temp.path;
  path = join(directory, 'leases.db');
});

function open(options: Partial<SqliteLeaseOptions> = {}): SqliteLeaseProvider {
  const provider = new SqliteLeaseProvider({ path, ...options });
  onTestFinished(() => provider.close());
  return provider;
}

function watch(provider = open({ access: 'read' })): WatchedView {
  return WatchedView.of((options) => provider.watchLeases(options));
}

test('what a provider writes itself is told as what any other writes', async () => {
  const provider = open();
  const view = watch(provider);
  await view.untilLive();
  expect(view.live).toMatchObject({ how: 'polling', intervalMs: 200 });
  await provider.acquireLease('own', 'o', TTL_MS);
  await open().acquireLease('other', 'o', TTL_MS);
  await view.until(() => view.leases.size === 2);
  expect(view.snapshots).toBe(1);
});

test('more leases than a page holds are told each once, and only what changed after that', async () => {
  const provider = open();
  for (let index = 0; index < 1_300; index += 1) await provider.acquireLease(`k${index}`, 'o', TTL_MS);
  const view = watch();
  await view.untilLive();
  expect(view.leases.size).toBe(1_300);
  const before = view.changes.length;
  await provider.transferLease('k700', 'o', 'p', TTL_MS);
  await provider.releaseLease('k1299', 'o');
  await view.until(() => view.freedAtMs.has('k1299') && view.leases.get('k700')?.owner === 'p');
  const told = view.changes.slice(before);
  expect(told.flatMap((change) => (change.kind === 'held' ? change.leases : []))).toHaveLength(1);
  expect(told.flatMap((change) => (change.kind === 'free' ? change.keys : []))).toEqual(['k1299']);
});

test('the end of a lease is told when it comes, though nobody writes', async () => {
  const provider = open();
  await provider.acquireLease('short', 'o', 500);
  const dueAtMs = performance.now() + 500;
  const view = watch();
  await view.untilLive();
  expect(view.held).toEqual(['short=o']);
  await view.until(() => view.freedAtMs.has('short'));
  expect((view.freedAtMs.get('short') ?? 0) - dueAtMs).toBeGreaterThan(-50);
  expect((view.freedAtMs.get('short') ?? 0) - dueAtMs).toBeLessThan(1_000);
});

test('a file that is replaced is read anew', async () => {
  const old = open();
  await old.acquireLease('old', 'o', TTL_MS);
  const other = new SqliteLeaseProvider({ path: join(directory, 'other.db') });
  await other.acquireLease('new', 'o', TTL_MS);
  await other.close();
  const view = watch();
  await view.untilLive();
  expect(view.held).toEqual(['old=o']);
  await old.close();
  for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true });
  await rename(join(directory, 'other.db'), path);
  await view.until(() => view.isLive && view.held.join() === 'new=o');
  expect(view.snapshots).toBe(2);
});

test('no file ends the watch; one that goes away is stale, nothing is free, and one that comes is read', async () => {
  const missing = watch();
  await waitFor(() => missing.end);
  expect(missing.end).toMatchObject({ code: 'ERR_LEASE_INVALID_CONFIG' });
  const provider = open();
  await provider.acquireLease('k', 'o', TTL_MS);
  const view = watch();
  await view.untilLive();
  await provider.close();
  for (const suffix of ['', '-wal', '-shm']) await rm(path + suffix, { force: true });
  await view.until(() => view.staleFor);
  expect(view.staleFor).toContain('Found no lease database');
  expect(view.held).toEqual(['k=o']);
  await open().acquireLease('new', 'o', TTL_MS);
  await view.untilLive();
  await view.until(() => view.held.join() === 'new=o');
  expect(view.freedAtMs.size).toBe(0);
});

test('a file that another connection keeps locked is stale until it is not', async () => {
  const provider = open();
  await provider.acquireLease('k', 'o', TTL_MS);
  await provider.close();
  const locker = new DatabaseSync(path);
  onTestFinished(() => {
    if (locker.isOpen) locker.close();
  });
  // Nobody else may read while this is so.
  locker.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  const view = watch(open({ access: 'read', busyTimeoutMs: 10 }));
  await view.until(() => view.staleFor);
  expect(view.staleFor).toContain('locked by another process');
  locker.exec('COMMIT');
  locker.close();
  await view.untilLive();
  expect(view.held).toEqual(['k=o']);
});
