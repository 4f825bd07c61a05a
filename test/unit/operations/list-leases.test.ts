import { beforeEach, describe, expect, it } from 'vitest';
import { type LeaseFilter, type ListEvent, listLeases } from '../../../src/operations/list-leases.js';
import { type MemorySite, openMemorySite } from './memory-site.js';

let site: MemorySite;

beforeEach(async () => {
  site = openMemorySite();
  await site.hold({
    'user-1\0abc': 'run-1',
    'user-2\0abd': 'run-2',
    deploy: 'job',
    'a.c*?[x]': 'job',
    'line\nfeed': 'job',
  });
});

async function list(filter: LeaseFilter, threadTtlMs = 15_000): Promise<readonly ListEvent[]> {
  const events: ListEvent[] = [];
  for await (const event of listLeases(site.context, { filter, threadTtlMs })) events.push(event);
  return events;
}

const keysOf = (events: readonly ListEvent[]) =>
  events.flatMap((event) => ('lease' in event ? [event.lease.key] : []));

describe('a listing', () => {
  it('yields every lease with what its key says, and one end that counts them', async () => {
    const events = await list({});
    expect(keysOf(events)).toHaveLength(5);
    expect(events.at(-1)).toMatchObject({ end: { complete: true, total: 5, matched: 5 } });
    expect(events[0]).toMatchObject({
      lease: {
        parts: { kind: 'thread', resource: 'user-1', thread: 'abc' },
        health: 'ok',
        assumedTtlMs: 15_000,
      },
    });
  });

  it('reads health by the lease time of the runtime', async () => {
    const [first] = await list({ owner: 'run-1' }, 30_000);
    expect(first).toMatchObject({ lease: { health: 'late', assumedTtlMs: 30_000 } });
  });

  it('that fails still ends, and says why', async () => {
    await site.leases.close();
    expect(await list({})).toEqual([
      {
        end: expect.objectContaining({
          complete: false,
          total: 0,
          matched: 0,
          error: expect.objectContaining({ code: 'ERR_LEASE_CLOSED' }),
        }),
      },
    ]);
  });

  it('that is aborted ends by the reason, since nobody asks any more', async () => {
    const reason = new Error('interrupted');
    const context = { ...site.context, signal: AbortSignal.abort(reason) };
    await expect(listLeases(context, { filter: {}, threadTtlMs: 15_000 }).next()).rejects.toBe(reason);
  });
});

describe('a filter', () => {
  it.each([
    [{ pattern: 'user-1*' }, ['user-1\0abc']],
    [{ pattern: 'user-1\\0abc' }, ['user-1\0abc']],
    [{ pattern: 'ab?' }, ['user-1\0abc', 'user-2\0abd']],
    [{ pattern: 'user' }, []],
    [{ pattern: '*' }, ['user-1\0abc', 'user-2\0abd', 'deploy', 'a.c*?[x]', 'line\nfeed']],
    [{ pattern: 'a.c**[x]' }, ['a.c*?[x]']],
    [{ pattern: 'a.c*?[x]' }, ['a.c*?[x]']],
    [{ pattern: 'a?c*x]' }, ['a.c*?[x]']],
    [{ pattern: '*e*p*o*' }, ['deploy']],
    [{ pattern: '*e*p*p*' }, []],
    [{ pattern: 'd*y*y' }, []],
    [{ pattern: 'd*lo*y' }, ['deploy']],
    [{ pattern: '[d]eploy' }, []],
    [{ pattern: 'line\\x0afeed' }, ['line\nfeed']],
    [{ pattern: '(' }, []],
    [{ owner: 'job' }, ['deploy', 'a.c*?[x]', 'line\nfeed']],
    [{ owner: 'jo' }, []],
    [{ kind: 'thread' }, ['user-1\0abc', 'user-2\0abd']],
    [{ kind: 'thread', owner: 'run-2', pattern: 'ab*' }, ['user-2\0abd']],
    [{ health: 'late' }, []],
  ] as const)('%j counts all and lets through what it says', async (filter, keys) => {
    const events = await list(filter);
    expect(keysOf(events)).toEqual(keys);
    expect(events.at(-1)).toMatchObject({ end: { total: 5, matched: keys.length } });
  });
});

it('a pattern with many stars is quick on long ids that almost match', async () => {
  await site.hold({ [`${'-'.repeat(100_000)}x`]: 'job' });
  expect(keysOf(await list({ pattern: '*-*-*-*-*-*-*y' }))).toEqual([]);
  expect(keysOf(await list({ pattern: '*-*-*-*-*-*-*x' }))).toHaveLength(1);
});
