import { describe, expect, it } from 'vitest';
import { readHealth } from '../../../src/lease/health.js';
import { parseKey } from '../../../src/lease/key.js';
import type { ListedLease } from '../../../src/operations/list-leases.js';
import {
  listedLeaseRow,
  listSummary,
  SORT_ORDERS,
  sortLeases,
  tableRow,
} from '../../../src/output/list-text.js';

function listed(key: string, owner: string, remainingMs: number | null): ListedLease {
  const lease = { key, owner, remainingMs };
  return { ...lease, ...readHealth(lease), parts: parseKey(key) };
}

const LEASES = [
  listed('user-2\0b', 'run-9', 14_000),
  listed('user-10\0a', 'run-10', 9_000),
  listed('user-1\0c', 'run-1', 120_000),
  listed('stuck', 'job', null),
  listed('deploy', 'job', 9_000),
];

describe('sorting', () => {
  it.each([
    ['worst', ['stuck', 'user-10\0a', 'deploy', 'user-2\0b', 'user-1\0c']],
    ['left', ['deploy', 'user-10\0a', 'user-2\0b', 'user-1\0c', 'stuck']],
    ['kind', ['deploy', 'stuck', 'user-1\0c', 'user-10\0a', 'user-2\0b']],
    ['resource', ['deploy', 'stuck', 'user-1\0c', 'user-10\0a', 'user-2\0b']],
    ['thread', ['user-10\0a', 'user-2\0b', 'user-1\0c', 'deploy', 'stuck']],
    ['owner', ['deploy', 'stuck', 'user-1\0c', 'user-10\0a', 'user-2\0b']],
  ] as const)('by %s', (order, keys) => {
    expect(sortLeases(LEASES, order).map(({ key }) => key)).toEqual(keys);
    expect(sortLeases([...LEASES].reverse(), order).map(({ key }) => key)).toEqual(keys);
  });

  it('keeps every lease and changes no array', () => {
    const before = [...LEASES];
    for (const order of SORT_ORDERS) expect(new Set(sortLeases(LEASES, order))).toEqual(new Set(LEASES));
    expect(LEASES).toEqual(before);
  });
});

describe('a row', () => {
  it('in a pipe has seven columns for every kind of key', () => {
    expect(listedLeaseRow(listed('u\0t', 'run-1', 5))).toBe('thread\tu\\0t\trun-1\t5\tlate\tu\tt');
    expect(listedLeaseRow(listed('thread-claim:u\0t', 'p', 5))).toBe(
      'claim\tthread-claim:u\\0t\tp\t5\tok\tu\tt',
    );
    expect(listedLeaseRow(listed('notification-dispatch:u', 'p', 5))).toBe(
      'notification\tnotification-dispatch:u\tp\t5\tok\tu\t-',
    );
    expect(listedLeaseRow(listed('deploy', 'job', null))).toBe('other\tdeploy\tjob\t-\tno-expiry\t-\t-');
  });

  it('cannot be split by what is in it', () => {
    const row = listedLeaseRow(listed('a\tb\nc\0d', 'x\ty\n', 5));
    expect(row.split('\t')).toEqual([
      'thread',
      'a\\x09b\\x0ac\\0d',
      'x\\x09y\\x0a',
      '5',
      'late',
      'a\\x09b\\x0ac',
      'd',
    ]);
  });

  it('in a table names what tells keys of one kind apart', () => {
    expect(tableRow(listed('u\0t', 'run-1', 5_000))).toEqual({
      kind: 'thread',
      resource: 'u',
      threadOrKey: 't',
      owner: 'run-1',
      left: '5.0 s',
      health: 'late',
    });
    expect(tableRow(listed('mastra:durable-agent-recovery:v1:["agent","run"]', 'x', 5)).threadOrKey).toBe(
      'run · agent',
    );
    expect(tableRow(listed('workflow-step-run:run-1:event-1', 'x', 5)).threadOrKey).toBe('run-1 · event-1');
    expect(tableRow({ ...listed('caf\ufffd', 'x', 5), keyHex: '636166e9' }).threadOrKey).toBe('hex:636166e9');
  });
});

describe('the summary', () => {
  const end = {
    complete: true,
    atMs: 0,
    source: { backend: 'b', foundBy: '--backend', scope: 'host' },
  } as const;

  it.each([
    [0, 0, 0, '0 leases'],
    [1, 1, 1, '1 lease'],
    [5, 5, 5, '5 leases'],
    [5, 1, 1, '1 lease of 5'],
    [5, 5, 2, '5 leases, 2 shown'],
    [9, 5, 2, '5 leases of 9, 2 shown'],
  ])('of %d, of which %d match and %d are shown', (total, matched, shown, text) => {
    expect(listSummary({ ...end, total, matched }, shown)).toBe(text);
    expect(listSummary({ ...end, complete: false, total, matched }, shown)).toBe(`${text}: INCOMPLETE`);
  });
});
