import { beforeEach, describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/lease/backend.js';
import { resolveWatchTarget } from '../../../src/operations/watch-target.js';
import { type MemorySite, openMemorySite } from './memory-site.js';

let site: MemorySite;

beforeEach(async () => {
  site = openMemorySite();
  await site.hold({
    'user-1\0abc': 'run-1',
    'user-2\0twice': 'run-2',
    'user-3\0twice': 'run-3',
    deploy: 'job',
  });
});

const resolve = (target: Parameters<typeof resolveWatchTarget>[1]) =>
  resolveWatchTarget(site.context, target);

describe('one word', () => {
  it('is the key where somebody holds it', async () => {
    expect(await resolve({ by: 'word', key: 'deploy' })).toMatchObject({ keys: ['deploy'], filter: {} });
  });

  it('is a pattern where nobody does', async () => {
    const resolved = await resolve({ by: 'word', key: 'user-1' });
    expect(resolved).toMatchObject({ filter: { pattern: 'user-1' }, outcomes: [{ status: 'free' }] });
    expect(resolved.keys).toBeUndefined();
  });

  it('of the form thread:abc is the held thread with that id, and while there is none, the next', async () => {
    expect(await resolve({ by: 'word', key: 'thread:abc' })).toMatchObject({
      keys: ['user-1\0abc'],
      outcomes: [{ notes: [{ kind: 'found-as-thread', asked: 'thread:abc' }] }],
    });
    expect(await resolve({ by: 'word', key: 'thread:none' })).toMatchObject({ filter: { thread: 'none' } });
    await expect(resolve({ by: 'word', key: 'thread:twice' })).rejects.toMatchObject({
      code: 'ERR_LEASE_AMBIGUOUS_KEY',
    });
  });

  it('is the key, unread, where nothing can be listed', async () => {
    const { inspector: _, ...backend }: Backend = site.context.backend;
    const context = { ...site.context, backend };
    expect(await resolveWatchTarget(context, { by: 'word', key: 'user-1' })).toMatchObject({
      keys: ['user-1'],
    });
    expect(site.calls).toEqual({ read: 0, list: 0 });
    await expect(resolveWatchTarget(context, { by: 'word', key: 'thread:abc' })).rejects.toMatchObject({
      code: 'ERR_LEASE_UNSUPPORTED',
    });
  });
});

describe('keys', () => {
  it('are watched as they are, without a read', async () => {
    const requests = [
      { by: 'key', key: 'deploy' },
      { by: 'key', key: 'thread:abc', literal: true },
    ] as const;
    expect(await resolve({ by: 'keys', requests })).toEqual({
      keys: ['deploy', 'thread:abc'],
      filter: {},
      outcomes: [],
    });
    expect(site.calls).toEqual({ read: 0, list: 0 });
  });

  it('by thread ids are found as for every read', async () => {
    const both = { by: 'thread', thread: 'new', resource: 'user-9' } as const;
    expect(await resolve({ by: 'keys', requests: [both] })).toMatchObject({ keys: ['user-9\0new'] });
    expect(await resolve({ by: 'keys', requests: [{ by: 'thread', thread: 'abc' }] })).toMatchObject({
      keys: ['user-1\0abc'],
    });
    expect(await resolve({ by: 'keys', requests: [{ by: 'thread', thread: 'none' }] })).toMatchObject({
      filter: { thread: 'none' },
    });
  });
});

it('a pattern and everything need no look', async () => {
  expect(await resolve({ by: 'all' })).toEqual({ filter: {}, outcomes: [] });
  expect(await resolve({ by: 'pattern', pattern: 'user-*' })).toEqual({
    filter: { pattern: 'user-*' },
    outcomes: [],
  });
  expect(site.calls).toEqual({ read: 0, list: 0 });
});
