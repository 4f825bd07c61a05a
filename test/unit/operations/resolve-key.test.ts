import { beforeEach, describe, expect, it } from 'vitest';
import { readOwner } from '../../../src/operations/read-owner.js';
import { type KeyRequest, resolveKeyToWrite } from '../../../src/operations/resolve-key.js';
import { ThreadIndex } from '../../../src/operations/thread-index.js';
import { type MemorySite, openMemorySite } from './memory-site.js';

const key = (text: string, literal = false): KeyRequest => ({
  by: 'key',
  key: text,
  ...(literal && { literal }),
});
const thread = (id: string, resource?: string): KeyRequest => ({
  by: 'thread',
  thread: id,
  ...(resource !== undefined && { resource }),
});

let site: MemorySite;

beforeEach(() => {
  site = openMemorySite();
});

const read = (request: KeyRequest) => readOwner(site.context, request, new ThreadIndex(site.context));
const write = (request: KeyRequest) =>
  resolveKeyToWrite(site.context, request, new ThreadIndex(site.context), 'release');

describe('a read', () => {
  beforeEach(() =>
    site.hold({
      deploy: 'job',
      'u1\0one': 'run-1',
      'u1\0two': 'run-2',
      'u2\0two': 'run-3',
      'thread:lit': 'job-2',
      'u1\0lit': 'run-4',
    }),
  );

  it.each([
    [
      'a key',
      key('deploy'),
      { status: 'held', key: 'deploy', lease: { owner: 'job' } },
      { read: 1, list: 0 },
    ],
    ['a free key', key('none'), { status: 'free', key: 'none', notes: [] }, { read: 1, list: 0 }],
    [
      'a literal key that looks like a thread’s',
      key('thread:lit'),
      { key: 'thread:lit', lease: { owner: 'job-2' } },
      { read: 1, list: 0 },
    ],
    [
      'the one thread with an id',
      key('thread:one'),
      { key: 'u1\0one', notes: [{ kind: 'found-as-thread', asked: 'thread:one' }] },
      { read: 1, list: 1 },
    ],
    [
      'a thread by its id alone',
      thread('one'),
      { key: 'u1\0one', notes: [{ kind: 'found-resource' }] },
      { read: 0, list: 1 },
    ],
    [
      'a thread by both ids',
      thread('two', 'u2'),
      { key: 'u2\0two', lease: { owner: 'run-3' } },
      { read: 1, list: 0 },
    ],
    [
      'a thread that is held under another resource',
      thread('one', 'u9'),
      { status: 'free', key: 'u9\0one' },
      { read: 1, list: 0 },
    ],
    ['no thread with an id', thread('none'), { status: 'free', thread: 'none' }, { read: 0, list: 1 }],
    [
      'the literal key only, where that is asked',
      key('thread:one', true),
      { status: 'free', key: 'thread:one' },
      { read: 1, list: 0 },
    ],
  ])('of %s costs no more than it must', async (_, request, outcome, calls) => {
    expect(await read(request)).toMatchObject(outcome);
    expect(site.calls).toEqual(calls);
  });

  it.each([key('thread:two'), thread('two')])(
    'of an id that two threads have is refused with both',
    async (request) => {
      await expect(read(request)).rejects.toMatchObject({
        code: 'ERR_LEASE_AMBIGUOUS_KEY',
        candidates: [
          { key: 'u1\0two', owner: 'run-2' },
          { key: 'u2\0two', owner: 'run-3' },
        ],
      });
    },
  );

  it('of several keys shares one listing', async () => {
    const index = new ThreadIndex(site.context);
    const requests = [key('thread:one'), thread('one'), key('thread:none'), thread('none')];
    await Promise.all(requests.map((request) => readOwner(site.context, request, index)));
    expect(site.calls.list).toBe(1);
  });
});

it('a read where nothing at all is leased says so', async () => {
  expect((await read(key('thread:x'))).notes).toEqual([{ kind: 'nothing-leased' }]);
  expect((await read(thread('x'))).notes).toEqual([{ kind: 'nothing-leased' }]);
  await site.hold({ deploy: 'job' });
  expect((await read(key('thread:x'))).notes).toEqual([]);
});

describe('a write', () => {
  it('never guesses: a held thread with that id is refused, one or several', async () => {
    await site.hold({ 'u1\0one': 'run-1' });
    await expect(write(key('thread:one'))).rejects.toMatchObject({
      code: 'ERR_LEASE_AMBIGUOUS_KEY',
      candidates: [{ key: 'u1\0one' }],
    });
    await site.hold({ 'u2\0one': 'run-2' });
    await expect(write(key('thread:one'))).rejects.toMatchObject({ candidates: [{}, {}] });
    await expect(write(thread('one'))).rejects.toMatchObject({ code: 'ERR_LEASE_AMBIGUOUS_KEY' });
  });

  it('takes the literal key where it is held, where it is meant, or where no such thread is', async () => {
    const literal = { key: 'thread:one', notes: [{ kind: 'not-a-runtime-key' }] };
    expect(await write(key('thread:one'))).toEqual(literal);
    await site.hold({ 'u1\0one': 'run-1' });
    expect(await write(key('thread:one', true))).toEqual(literal);
    await site.hold({ 'thread:one': 'job' });
    expect(await write(key('thread:one'))).toEqual(literal);
  });

  it('by a thread’s id needs the resource unless one such thread is held', async () => {
    await expect(write(thread('one'))).rejects.toMatchObject({
      code: 'ERR_LEASE_INVALID_KEY',
      remedy: 'to release a lease that is not held, give --resource as well',
    });
    expect(await write(thread('one', ''))).toMatchObject({ key: '\0one' });
    await site.hold({ 'u1\0one': 'run-1' });
    expect(await write(thread('one'))).toMatchObject({ key: 'u1\0one' });
  });

  it('of any other key reads nothing first', async () => {
    await write(key('deploy'));
    await write(thread('t', 'u'));
    expect(site.calls).toEqual({ read: 0, list: 0 });
  });

  it('says that ids with a NUL in them cannot be told apart', async () => {
    expect(await write(key('a\0b\0c'))).toMatchObject({ notes: [{ kind: 'ambiguous-ids' }] });
  });
});
